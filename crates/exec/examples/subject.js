class Policy {
  constructor(kind, params) {
    this.streaming = kind === "streaming";
    const [option, fallback] = this.streaming ? ["initial_reconnect_delay", 1] : ["poll_interval", 30];
    const usable = params[option] > 0 && params[option] < Infinity;
    const first = usable ? params[option] : fallback;
    this.warning = usable ? null : `${option} must be a positive finite number of seconds; using ${fallback}s`;
    this.bounds = [[first, this.streaming ? Math.max(first, 30) : first], [Math.max(first, 300), Math.max(first, 3600)]];
    this.cadence = this.delay = this.streaming ? 0 : first;
    [this.attempts, this.extended, this.successes, this.healthySince] = [0, false, 0, 0];
  }
  resetIfHealthy(now) { // times are whole nanoseconds, so that the window's edge is exact
    const lasts = this.successes > 0 && now - this.healthySince >= 60e9;
    if (this.streaming ? lasts : this.successes >= 2) [this.attempts, this.extended] = [0, false];
  }
  failure(now, { kind, status = 0, jitter_unit }) {
    const unexpected = kind === "unexpected" || (status >= 400 && status < 500 && ![400, 408, 429].includes(status));
    this.resetIfHealthy(now);
    [this.successes, this.attempts] = [0, unexpected && !this.extended ? 1 : this.attempts + 1];
    this.extended ||= unexpected;
    const [first, ceiling] = this.bounds[Number(this.extended)];
    const delay = Math.min(first * 2 ** (this.attempts - 1), ceiling);
    this.delay = Math.max(delay - (jitter_unit * delay) / 2, this.cadence);
  }
  success(now) {
    if (this.successes++ === 0) this.healthySince = now;
    this.resetIfHealthy(now);
    this.delay = this.cadence;
  }
}
let policy; // of the last "new"
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line), { op, params } = request;
  if (op === "new") policy = /^(streaming|polling)$/.test(request.constructor) ? new Policy(request.constructor, params) : null;
  else if (op === "failure" || op === "success") policy?.[op](Math.round(request.at_s * 1e9), request);
  const { warning, delay: delay_s, extended } = policy ?? {};
  const response = policy ? { ok: true, warning, delay_s, extended } : { refused: "only streaming and polling are built here" };
  if (op !== "bye") process.stdout.write(JSON.stringify(response) + "\n");
});
