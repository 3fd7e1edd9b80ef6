"""Definitions of the ROS 2 messages of an export, and the schema text that MCAP stores with them."""

from __future__ import annotations

# Message -> its fields, as in ROS 2 from Humble on. Constants and defaults are omitted.
MESSAGES: dict[str, str] = {
    "builtin_interfaces/Time": "int32 sec, uint32 nanosec",
    "builtin_interfaces/Duration": "int32 sec, uint32 nanosec",
    "std_msgs/Header": "builtin_interfaces/Time stamp, string frame_id",
    "std_msgs/ColorRGBA": "float32 r, float32 g, float32 b, float32 a",
    "std_msgs/MultiArrayDimension": "string label, uint32 size, uint32 stride",
    "std_msgs/MultiArrayLayout": "std_msgs/MultiArrayDimension[] dim, uint32 data_offset",
    "std_msgs/Float64MultiArray": "std_msgs/MultiArrayLayout layout, float64[] data",
    "geometry_msgs/Point": "float64 x, float64 y, float64 z",
    "geometry_msgs/Vector3": "float64 x, float64 y, float64 z",
    "geometry_msgs/Quaternion": "float64 x, float64 y, float64 z, float64 w",
    "geometry_msgs/Pose": "geometry_msgs/Point position, geometry_msgs/Quaternion orientation",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation, geometry_msgs/Quaternion rotation",
    "geometry_msgs/TransformStamped": (
        "std_msgs/Header header, string child_frame_id, geometry_msgs/Transform transform"
    ),
    "geometry_msgs/Wrench": "geometry_msgs/Vector3 force, geometry_msgs/Vector3 torque",
    "geometry_msgs/WrenchStamped": "std_msgs/Header header, geometry_msgs/Wrench wrench",
    "sensor_msgs/JointState": (
        "std_msgs/Header header, string[] name, float64[] position, float64[] velocity, float64[] effort"
    ),
    "sensor_msgs/Imu": (
        "std_msgs/Header header, geometry_msgs/Quaternion orientation, float64[9] orientation_covariance, "
        "geometry_msgs/Vector3 angular_velocity, float64[9] angular_velocity_covariance, "
        "geometry_msgs/Vector3 linear_acceleration, float64[9] linear_acceleration_covariance"
    ),
    "sensor_msgs/CompressedImage": "std_msgs/Header header, string format, uint8[] data",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "visualization_msgs/UVCoordinate": "float32 u, float32 v",
    "visualization_msgs/MeshFile": "string filename, uint8[] data",
    "visualization_msgs/Marker": (
        "std_msgs/Header header, string ns, int32 id, int32 type, int32 action, geometry_msgs/Pose pose, "
        "geometry_msgs/Vector3 scale, std_msgs/ColorRGBA color, builtin_interfaces/Duration lifetime, "
        "bool frame_locked, geometry_msgs/Point[] points, std_msgs/ColorRGBA[] colors, string texture_resource, "
        "sensor_msgs/CompressedImage texture, visualization_msgs/UVCoordinate[] uv_coordinates, string text, "
        "string mesh_resource, visualization_msgs/MeshFile mesh_file, bool mesh_use_embedded_materials"
    ),
    "visualization_msgs/MarkerArray": "visualization_msgs/Marker[] markers",
}
JOINT_STATE = "sensor_msgs/JointState"
RULE = 80 * "="  # line between the definitions of a schema


def fields_of(kind: str) -> list[tuple[str, str]]:
    """Return the fields of a message: type and name."""
    return [(field.split()[0], field.split()[1]) for field in MESSAGES[kind].split(", ")]


def element_of(kind: str) -> str:
    """Return the type of an element of an array; any other type is unchanged."""
    return kind.partition("[")[0]


def schema_text(kind: str) -> str:
    """Return the definition of a message in the format ros2msg, followed by those of its parts."""
    found: list[str] = []

    def visit(part: str) -> None:
        if part in MESSAGES and part not in found:
            found.append(part)
            for inner, _ in fields_of(part):
                visit(element_of(inner))

    visit(kind)
    texts = ["".join(f"{inner} {name}\n" for inner, name in fields_of(part)) for part in found]
    return texts[0] + "".join(f"{RULE}\nMSG: {part}\n{text}" for part, text in zip(found[1:], texts[1:]))


def full_name(kind: str) -> str:
    """Return the name of a message as ROS 2 writes it: sensor_msgs/msg/JointState."""
    return kind.replace("/", "/msg/")


def plain_name(name: str) -> str:
    """Return the name of a message without the folder `msg`."""
    return name.replace("/msg/", "/")
