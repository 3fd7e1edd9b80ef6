"""Control table of an X-series motor: its registers, and when each may be written."""

from __future__ import annotations

from serpenoid.hardware import dynamixel_models as x
from serpenoid.hardware.dynamixel_models import Model, Register

SIZE = 147  # bytes; the emulator has no indirect registers
RAM = 64  # first address that may be written while the torque is on
NO_ERROR, RESULT_FAIL, BAD_INSTRUCTION, BAD_CHECKSUM, DATA_RANGE, DATA_LENGTH, DATA_LIMIT, NO_ACCESS = range(8)
PWM_LIMIT, VELOCITY_LIMIT, SHUTDOWN, REGISTERED = Register(36, 2), Register(44, 4), Register(63, 1), Register(69, 1)
HOMING, MOST_TEMPERATURE, LED = Register(20, 4), Register(31, 1), Register(65, 1)
GOAL_PWM = Register(100, 2)
GAINS = [Register(address, 2) for address in (76, 78, 80, 82, 84, 88, 90)]
GOALS = (GOAL_PWM, x.GOAL_CURRENT, x.GOAL_VELOCITY, x.GOAL_POSITION)
WRITABLE = (
    x.IDENTITY, x.BAUD_RATE, x.RETURN_DELAY, x.DRIVE_MODE, x.OPERATING_MODE, HOMING, MOST_TEMPERATURE, PWM_LIMIT,
    x.CURRENT_LIMIT, VELOCITY_LIMIT, x.MOST_POSITION, x.LEAST_POSITION, SHUTDOWN, x.TORQUE_ENABLE, LED,
    x.STATUS_LEVEL, *GAINS, x.BUS_WATCHDOG, *GOALS, x.PROFILE_ACCELERATION, x.PROFILE_VELOCITY,
)  # fmt: skip
OVERLOAD = 1 << 5  # bit of the hardware error status
TURNS = 256 * x.STEPS  # farthest goal in the extended modes


class ControlTable:
    """Registers of one motor."""

    def __init__(self, identity: int, model: Model, baud_rate: int):
        self.data = bytearray(SIZE)
        usual = {
            x.MODEL_NUMBER: model.number, x.FIRMWARE: 45, x.IDENTITY: identity, x.RETURN_DELAY: 250,
            x.BAUD_RATE: x.BAUD_RATES.index(baud_rate), x.OPERATING_MODE: x.POSITION, MOST_TEMPERATURE: 80,
            PWM_LIMIT: 885, x.CURRENT_LIMIT: 1193, VELOCITY_LIMIT: 200, x.MOST_POSITION: x.STEPS - 1, SHUTDOWN: 52,
        }  # fmt: skip
        for register, value in usual.items():
            self.put(register, value)
        self.restart(0.0)

    def restart(self, time: float) -> None:
        """Reset the RAM at a time [s]: after a reboot the torque is off."""
        self.data[RAM:] = bytes(SIZE - RAM)
        self.put(x.STATUS_LEVEL, 2)
        self.began = self.heard = time  # of its clock, and of the last instruction [s]
        self.registered: tuple[int, bytes] | None = None

    def get(self, register: Register, signed: bool = False) -> int:
        """Return the value of a register."""
        return int.from_bytes(self.data[register.address :][: register.size], "little", signed=signed)

    def put(self, register: Register, value: int) -> None:
        """Set the value of a register, wrapped to its size."""
        wrapped = value % (1 << 8 * register.size)
        self.data[register.address : register.address + register.size] = wrapped.to_bytes(register.size, "little")

    @property
    def torque(self) -> bool:
        """True if the torque is on."""
        return bool(self.get(x.TORQUE_ENABLE))

    @property
    def alert(self) -> int:
        """Alert bit of its answers."""
        return x.ALERT if self.get(x.HARDWARE_ERROR) else 0

    def read(self, address: int, size: int) -> bytes | None:
        """Return registers; None beyond the table."""
        return bytes(self.data[address : address + size]) if address + size <= SIZE else None

    def write(self, address: int, data: bytes) -> int:
        """Write registers unless one of them refuses; return the error number."""
        touched = [row for row in WRITABLE if row.address < address + len(data) and address < row.address + row.size]
        covered = {byte for row in touched for byte in range(row.address, row.address + row.size)}
        if covered != set(range(address, address + len(data))):
            return DATA_LENGTH if covered else NO_ACCESS
        if address < RAM and self.torque:
            return NO_ACCESS
        rows = [(row, data[row.address - address :][: row.size]) for row in touched]
        errors = [self.refusal(row, int.from_bytes(part, "little")) for row, part in rows]
        if any(errors):
            return next(error for error in errors if error)
        for row, part in rows:
            self.apply(row, int.from_bytes(part, "little"))
        return NO_ERROR

    def refusal(self, register: Register, value: int) -> int:
        """Return the error with which a register refuses a value."""
        if register in GOALS and self.get(x.BUS_WATCHDOG) == x.WATCHDOG_TRIPPED:
            return DATA_RANGE
        if register == x.GOAL_POSITION:
            low, high = self.get(x.LEAST_POSITION), self.get(x.MOST_POSITION)
            if self.get(x.OPERATING_MODE) != x.POSITION:
                low, high = -TURNS, TURNS
            signed = value - (1 << 32) if value >> 31 else value
            return NO_ERROR if low <= signed <= high else DATA_LIMIT
        if register == x.GOAL_CURRENT:
            signed = value - (1 << 16) if value >> 15 else value
            return NO_ERROR if abs(signed) <= self.get(x.CURRENT_LIMIT) else DATA_LIMIT
        if register == x.TORQUE_ENABLE and value and self.alert:
            return RESULT_FAIL  # only a reboot ends a shutdown
        most = {x.BUS_WATCHDOG: x.WATCHDOG_MOST, x.TORQUE_ENABLE: 1, x.IDENTITY: 252, x.BAUD_RATE: 7}.get(register)
        return DATA_RANGE if most is not None and value > most else NO_ERROR

    def apply(self, register: Register, value: int) -> None:
        """Set a register; switching the torque on keeps the motor where it is."""
        if register == x.TORQUE_ENABLE and value and not self.torque:
            self.put(x.GOAL_POSITION, self.get(x.ANGLE))
        self.put(register, value)

    def expiry(self) -> float:
        """Return the time at which the bus watchdog trips without instructions [s]."""
        value = self.get(x.BUS_WATCHDOG)
        active = self.torque and 0 < value <= x.WATCHDOG_MOST
        return self.heard + value * x.WATCHDOG_UNIT if active else float("inf")

    def trip(self) -> None:
        """Stop where the motor is: its goals are read-only from now on."""
        self.put(x.BUS_WATCHDOG, x.WATCHDOG_TRIPPED)
        self.put(x.GOAL_POSITION, self.get(x.ANGLE))

    def shut_down(self, error: int) -> None:
        """Report a hardware error and switch the torque off."""
        self.put(x.HARDWARE_ERROR, self.get(x.HARDWARE_ERROR) | error)
        self.put(x.TORQUE_ENABLE, 0)
