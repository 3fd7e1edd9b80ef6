// Player of the run embedded in the page: one packed block of numbers, drawn by WebGL 2. Lengths in m, z up.
"use strict";

const VERTEX = `#version 300 es
in vec3 place, normal; uniform mat4 view, pose; out vec3 world, out_normal;
void main() { vec4 at = pose * vec4(place, 1.0); world = at.xyz; out_normal = mat3(pose) * normal;
  gl_Position = view * at; }`;
// Light from above; surfaces without a normal (lines, ribbons) have a uniform colour.
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 world, out_normal; uniform vec4 colour; uniform vec3 eye; uniform bool facets; out vec4 result;
uniform float cell, haze; uniform vec3 corner, axis_x, axis_y;
const vec3 LINE = vec3(0.627, 0.659, 0.690), SKY = vec3(0.969, 0.976, 0.984);
// Floor: grid lines fade where they are finer than pixels, with haze towards the horizon.
vec4 squares(vec4 plain) {
  vec2 at = vec2(dot(world - corner, axis_x), dot(world - corner, axis_y)) / cell, width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, 1e-6);
  float line = (1.0 - min(min(near.x, near.y), 1.0)) * clamp(1.4 - 2.0 * max(width.x, width.y), 0.0, 1.0);
  float far = smoothstep(0.3 * haze, haze, length(world - eye));
  if (plain.a == 1.0) return vec4(mix(mix(plain.rgb, LINE, 0.8 * line), SKY, far), 1.0);
  return vec4(mix(plain.rgb, LINE, line), max(plain.a, 0.9 * line) * (1.0 - far)); }
void main() { vec3 n = facets ? cross(dFdx(world), dFdy(world)) : out_normal; float bright = 1.0;
  if (dot(n, n) > 0.0) { n = normalize(n); if (dot(n, eye - world) < 0.0) n = -n;
    bright = 0.62 + 0.38 * max(0.0, dot(n, vec3(-0.4, 0.3, 0.87))); }
  result = cell > 0.0 ? squares(colour) : vec4(colour.rgb * bright, colour.a); }`;
const HIDDEN_TAB = 0.25;  // longest time step [s]: a background tab pauses

const byId = (name) => document.getElementById(name);
const add = (a, b, k = 1) => a.map((x, i) => x + k * b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const size = Math.hypot(...a) || 1; return a.map((x) => x / size); };

// Column-major matrix of a pose x y z, quaternion w x y z.
function matrix(p) {
  const [x, y, z, w, i, j, k] = p, s = 2 / (w * w + i * i + j * j + k * k);
  return [1 - s * (j * j + k * k), s * (i * j + k * w), s * (i * k - j * w), 0,
    s * (i * j - k * w), 1 - s * (i * i + k * k), s * (j * k + i * w), 0,
    s * (i * k + j * w), s * (j * k - i * w), 1 - s * (i * i + j * j), 0, x, y, z, 1];
}

// Product of two column-major matrices.
function product(a, b) {
  return a.map((_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[i % 4 + 4 * k] * b[4 * Math.floor(i / 4) + k], 0));
}

// Row `frame` (fractional between two frames) of poses (frames, count, 7); quaternions blend along the shorter arc.
function between(poses, shape, frame, index) {
  const last = shape[0] - 1, low = Math.min(Math.floor(frame), last), high = Math.min(low + 1, last), share = frame - low;
  const at = (f) => poses.subarray(7 * (f * shape[1] + index), 7 * (f * shape[1] + index) + 7);
  const a = at(low), b = at(high), side = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  return Array.from(a, (x, i) => (1 - share) * x + share * (i > 2 ? side : 1) * b[i]);
}

async function unpacked(header) {
  const bytes = Uint8Array.from(atob(header.packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const plain = await new Response(stream).arrayBuffer(), found = {};
  for (const [name, [kind, offset, shape]] of Object.entries(header.arrays)) {
    const Kind = { float: Float32Array, whole: Uint32Array, small: Uint8Array }[kind];
    found[name] = new Kind(plain, offset, shape.reduce((a, b) => a * b, 1));
    found[name].shape = shape;
  }
  return found;
}

class Painter {
  constructor(canvas) {
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!this.gl) throw new Error("this browser shows no WebGL 2");
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
    }
    ["place", "normal"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program); gl.useProgram(program);
    this.uniform = (name) => gl.getUniformLocation(program, name);
    this.loose = gl.createBuffer();
  }
  mesh(vertices, normals, faces) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [vertices, normals].forEach((data, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, count: faces.length };
  }
  begin(camera, width, height) {
    const gl = this.gl;
    gl.viewport(0, 0, width, height); gl.clearColor(0.969, 0.976, 0.984, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniformMatrix4fv(this.uniform("view"), false, camera.matrix(width / height));
    gl.uniform3fv(this.uniform("eye"), camera.eye());
  }
  paint(colour, opacity, pose, facets) {
    this.gl.uniform4f(this.uniform("colour"), ...colour.map((x) => x / 255), opacity);
    this.gl.uniformMatrix4fv(this.uniform("pose"), false, matrix(pose));
    this.gl.uniform1i(this.uniform("facets"), facets);
    this.gl.depthMask(opacity === 1);
  }
  draw(item, colour, pose, flat = null) {
    this.paint(colour, item.opacity, pose, flat || !item.smooth);
    if (flat) this.gl.uniformMatrix4fv(this.uniform("pose"), false, product(flat, matrix(pose)));
    this.gl.bindVertexArray(item.mesh.array);
    this.gl.drawElements(this.gl.TRIANGLES, item.mesh.count, this.gl.UNSIGNED_INT, 0);
    this.gl.bindVertexArray(null);
  }
  loosely(kind, points, colour, opacity = 1) {
    if (!points.length) return;
    const gl = this.gl;
    this.paint(colour, opacity, [0, 0, 0, 1, 0, 0, 0], false);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.loose); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STREAM_DRAW);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.disableVertexAttribArray(1); gl.vertexAttrib3f(1, 0, 0, 0);
    gl.drawArrays(kind, 0, points.length / 3);
  }
}

class Camera {
  constructor(given) {
    this.fov = given.fov; this.home = { from: given.position, to: given.target };
    this.look("whole", given.target);
  }
  look(name, center) {
    const way = add(this.home.from, this.home.to, -1), far = Math.hypot(...way);
    this.target = name === "whole" ? [...this.home.to] : [...center];
    this.distance = name === "whole" ? far : Math.min(far, this.distance);
    const d = unit({ top: [0, -0.001, 1], side: [0, -1, 0.12] }[name] || way);
    this.angle = Math.atan2(d[1], d[0]); this.height = Math.asin(d[2]);
  }
  away() { const c = Math.cos(this.height); return [c * Math.cos(this.angle), c * Math.sin(this.angle), Math.sin(this.height)]; }
  eye() { return add(this.target, this.away(), this.distance); }
  frame() { const right = [-Math.sin(this.angle), Math.cos(this.angle), 0]; return [right, cross(this.away(), right)]; }
  matrix(aspect) {
    const [r, u] = this.frame(), b = this.away(), e = this.eye(), f = 1 / Math.tan(this.fov / 2);
    const near = this.distance / 100, far = this.distance * 100, k = (far + near) / (near - far), q = 2 * far * near / (near - far);
    const [x, y, z] = [r, u, b].map((axis) => -dot(axis, e)), g = f / Math.max(aspect, 0.01);
    return [g * r[0], f * u[0], k * b[0], -b[0], g * r[1], f * u[1], k * b[1], -b[1],
      g * r[2], f * u[2], k * b[2], -b[2], g * x, f * y, k * z + q, -z];
  }
  pixel(height) { return 2 * this.distance * Math.tan(this.fov / 2) / height; }  // [m] at the target
  turn(dx, dy) {
    this.angle -= 0.008 * dx;
    this.height = Math.min(Math.max(this.height + 0.008 * dy, -1.55), 1.55);
  }
  shift(dx, dy, height) {
    const [right, up] = this.frame(), size = this.pixel(height);
    this.target = add(add(this.target, right, -dx * size), up, dy * size);
  }
}

// Pairs of points as camera-facing ribbons `width` pixels wide; arrows have a head.
function ribbons(pairs, camera, height, width, arrow) {
  const eye = camera.eye(), found = [], slope = 2 * Math.tan(camera.fov / 2) / height;
  for (let i = 0; i + 5 < pairs.length; i += 6) {
    const a = [...pairs.subarray(i, i + 3)], b = [...pairs.subarray(i + 3, i + 6)], along = add(b, a, -1);
    const half = 0.5 * width * slope * Math.hypot(...add(eye, a, -1));
    const side = unit(cross(along, add(eye, a, -1))), head = Math.min(5 * half, 0.5 * Math.hypot(...along));
    const neck = arrow ? add(b, unit(along), -head) : b;
    const [p, q, r, s] = [add(a, side, half), add(a, side, -half), add(neck, side, half), add(neck, side, -half)];
    found.push(...p, ...q, ...r, ...r, ...q, ...s);
    if (arrow) found.push(...add(neck, side, 0.5 * head), ...add(neck, side, -0.5 * head), ...b);
  }
  return found;
}

class Player {
  constructor(header, data) {
    Object.assign(this, { header, data, time: 0, playing: true, speed: 1, stale: true });
    this.canvas = document.querySelector("canvas");
    this.painter = new Painter(this.canvas);
    this.camera = new Camera(header.camera);
    this.items = header.items.map((item, i) => ({ ...item, poses: data[item.poses],
      mesh: this.painter.mesh(data[`vertices ${i}`], data[`normals ${i}`], data[`faces ${i}`]) }));
    this.items.sort((a, b) => b.opacity - a.opacity);  // transparent items last
    this.frames = data.links.shape[0]; this.duration = (this.frames - 1) / header.rate;
    this.center = this.middle();
    this.listen();
    if (header.follow) { byId("follow").checked = true; this.follow(); }
    requestAnimationFrame((now) => this.tick(now, now));
  }
  get frame() { return Math.min(this.time * this.header.rate, this.frames - 1); }
  middle() {
    const count = this.data.links.shape[1];
    let sum = [0, 0, 0];
    for (let i = 0; i < count; i++) sum = add(sum, between(this.data.links, this.data.links.shape, this.frame, i));
    return sum.map((x) => x / count);
  }
  tick(now, before) {
    if (this.playing && this.duration > 0) {
      this.time += this.speed * Math.min((now - before) / 1000, HIDDEN_TAB);
      if (this.time > this.duration) this.time = 0;
    }
    if (this.playing || this.stale) this.show();
    this.stale = false;
    requestAnimationFrame((next) => this.tick(next, now));
  }
  show() {
    const canvas = this.canvas, width = Math.round(canvas.clientWidth * devicePixelRatio);
    const height = Math.round(canvas.clientHeight * devicePixelRatio), center = this.middle();
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    if (byId("follow").checked) this.camera.target = add(this.camera.target, add(center, this.center, -1));
    this.center = center;
    this.painter.begin(this.camera, width, height);
    const solid = this.header.floor.opacity === 1;
    if (solid) this.drawFloor();
    for (const item of this.items) {
      const shape = item.poses.shape, frame = item.steps ? Math.floor(this.frame) : this.frame;
      const pose = between(item.poses, shape, shape[0] === 1 ? 0 : frame, item.index);
      const { shadow } = this.header;
      if (shadow && item.casts) this.painter.draw(item, shadow.colour, pose, shadow.matrix);
      this.painter.draw(item, this.colourOf(item), pose);
    }
    if (!solid) this.drawFloor();  // water tints objects below it
    this.drawLines(height);
    this.tell(canvas.clientHeight);
  }
  colourOf(item) {
    const { windows, links } = this.data;
    if (!windows || !item.painted || !byId("windows").checked) return item.colour;
    return this.header.windows[windows[Math.round(this.frame) * links.shape[1] + item.index]];
  }
  drawFloor() {
    const { floor } = this.header, { gl, uniform } = this.painter;
    gl.uniform1f(uniform("cell"), floor.cell);
    gl.uniform1f(uniform("haze"), floor.endless ? 6 * this.camera.distance : 1e6);
    gl.uniform3fv(uniform("corner"), floor.corner);
    floor.axes.forEach((axis, i) => gl.uniform3fv(uniform(["axis_x", "axis_y"][i]), axis));
    gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 4);
    this.painter.loosely(gl.TRIANGLES, this.data.sheet, floor.colour, floor.opacity);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.uniform1f(uniform("cell"), 0);
  }
  drawLines(height) {
    const gl = this.painter.gl;
    for (const line of this.header.lines) {
      const pairs = this.data[line.name].subarray(0, line.name === "track" ? 6 * this.passed() : undefined);
      this.painter.loosely(gl.TRIANGLES, ribbons(pairs, this.camera, height, 2.5 * devicePixelRatio, false), line.colour, 0.999);
    }
    this.drawChassis(height);
    if (!byId("forces").checked) return;
    const starts = this.data["force starts"], now = Math.round(this.frame);
    const pairs = this.data.forces.subarray(6 * starts[now], 6 * starts[now + 1]);
    gl.disable(gl.DEPTH_TEST);
    this.painter.loosely(gl.TRIANGLES, ribbons(pairs, this.camera, height, 2.5 * devicePixelRatio, true), this.header.force, 0.999);
  }
  // Past pieces of the track.
  passed() {
    const times = this.data["track times"], next = times.findIndex((time) => time > this.time + 1e-6);
    return next < 0 ? times.length : next;
  }
  drawChassis(height) {
    const { chassis, heading } = this.data, header = this.header;
    if (!chassis || !byId("chassis").checked) return;
    this.painter.gl.disable(this.painter.gl.DEPTH_TEST);
    if (heading) this.drawAxis(heading, 0, header.heading.length, header.heading.colour, height);
    header.chassis.colours.forEach((colour, i) => this.drawAxis(chassis, i, header.chassis.length, colour, height));
    this.painter.gl.enable(this.painter.gl.DEPTH_TEST);
  }
  // Axis of a moving frame as an arrow, scaled to the robot; none if the frame is undefined.
  drawAxis(poses, axis, share, colour, height) {
    const pose = between(poses, poses.shape, this.frame, 0), start = pose.slice(0, 3);
    if (Number.isNaN(pose[3])) return;
    const end = add(start, matrix(pose).slice(4 * axis, 4 * axis + 3), share * this.header.reach);
    const arrow = ribbons(new Float32Array([...start, ...end]), this.camera, height, 4 * devicePixelRatio, true);
    this.painter.loosely(this.painter.gl.TRIANGLES, arrow, colour, 0.999);
  }
  tell(height) {
    byId("time").textContent = `${this.time.toFixed(2)} s of ${this.header.duration} s`;
    byId("play").textContent = this.playing ? "Pause" : "Play";
    if (document.activeElement !== byId("slider") || this.playing) byId("slider").value = this.time;
    const most = 140 * this.camera.pixel(height), round = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].map((k) => k * round).find((size) => size <= most) || round;
    byId("bar").style.width = `${length / this.camera.pixel(height)}px`;
    byId("length").textContent = length >= 1 ? `${length} m` : `${+(100 * length).toPrecision(2)} cm`;
  }
  follow() {
    this.camera.target = [...this.center];
    this.camera.distance = Math.min(this.camera.distance, 4 * this.header.reach);
  }
  listen() {
    const toggle = () => { this.playing = !this.playing; };
    byId("slider").max = this.duration || 1;
    byId("slider").oninput = (event) => { this.playing = false; this.time = Number(event.target.value); };
    byId("play").onclick = toggle;
    byId("follow").onchange = () => this.follow();
    byId("speed").onchange = (event) => { this.speed = Number(event.target.value); };
    document.querySelectorAll("[data-view]").forEach((button) => {
      button.onclick = () => this.camera.look(button.dataset.view, this.center);
    });
    addEventListener("keydown", (event) => {
      if (event.code === "Space" && event.target.tagName !== "BUTTON") { toggle(); event.preventDefault(); }
    });
    for (const kind of ["pointermove", "wheel", "input", "change", "click", "keydown", "resize"]) {
      addEventListener(kind, () => { this.stale = true; });  // while paused, redraw only after changes
    }
    const canvas = this.canvas;
    canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.onpointermove = (event) => {
      if (!event.buttons) return;
      if (event.buttons > 1 || event.shiftKey) this.camera.shift(event.movementX, event.movementY, canvas.clientHeight);
      else this.camera.turn(event.movementX, event.movementY);
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault(); this.camera.distance *= Math.exp(0.001 * event.deltaY);
    }, { passive: false });
  }
}

const header = JSON.parse(byId("data").textContent);
unpacked(header).then((data) => { window.player = new Player(header, data); })
  .catch((error) => { byId("problem").textContent = `The run cannot be shown: ${error.message}.`; });
