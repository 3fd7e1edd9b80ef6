"""Read what modules are and the gains that they have; change the light of one, keep the rest."""

import tempfile

import hebi

lookup = hebi.Lookup()
group = lookup.get_connected_group_from_name("SEA Snake", "SA007")
if group is None:
    raise SystemExit("no such module")
info = group.request_info()
if info is not None:  # an imitation group reports nothing
    for index in range(group.size):
        print(info.name[index], info[index].family, info.serial[index], info.ip_address[index], info[index].position_kp)
    path = f"{tempfile.mkdtemp()}/gains.xml"
    info.write_gains(path)
    command = hebi.GroupCommand(group.size)
    command.read_gains(path)
    assert (command.position_kp == info.position_kp).all()
    assert group.send_command_with_acknowledgement(command, 2000)

command = hebi.GroupCommand(group.size)
command[0].led.color = "magenta"
command.user_settings_float1 = 4.5
assert group.send_command_with_acknowledgement(command, timeout_ms=2000)
if info is not None:
    assert (group.request_info(reuse_info=info).user_settings_float1 == 4.5).all()
    assert info.led.color[0].r == 255
    group.get_next_feedback()
    assert group.get_next_feedback().led.color[0].b == 255
