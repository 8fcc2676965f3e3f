import json, math, sys

class Policy:
    def __init__(self, constructor, params):
        self.streaming = constructor == "streaming"
        option, default = ("initial_reconnect_delay", 1) if self.streaming else ("poll_interval", 30)
        first, self.warning = float(params[option]), None
        if not 0 < first < math.inf:
            first, self.warning = default, f"{option} must be a positive finite number of seconds; using {default}s"
        self.bounds = [(first, max(first, 30) if self.streaming else first), (max(first, 300), max(first, 3600))]
        self.cadence = self.delay = 0 if self.streaming else first
        self.attempts, self.extended, self.successes, self.healthy_since = 0, False, 0, 0

    def reset_if_healthy(self, now):  # times are whole nanoseconds, so that the window's edge is exact
        if self.successes and now - self.healthy_since >= 60e9 if self.streaming else self.successes >= 2:
            self.attempts, self.extended = 0, False

    def failure(self, now, jitter_unit, kind=None, status=0, **_):
        unexpected = kind == "unexpected" or 400 <= status < 500 and status not in (400, 408, 429)
        self.reset_if_healthy(now)
        attempts = 1 if unexpected and not self.extended else self.attempts + 1
        self.successes, self.attempts, self.extended = 0, attempts, self.extended or unexpected
        first, ceiling = self.bounds[self.extended]
        delay = min(first * 2.0 ** min(self.attempts - 1, 1000), ceiling)
        self.delay = max(delay - jitter_unit * delay / 2, self.cadence)

    def success(self, now, **_):
        self.successes, self.healthy_since = self.successes + 1, self.healthy_since if self.successes else now
        self.reset_if_healthy(now)
        self.delay = self.cadence

for request in map(json.loads, sys.stdin):
    if request["op"] == "new":
        policy = Policy(request["constructor"], request["params"]) if request["constructor"] in ("streaming", "polling") else None
    elif request["op"] in ("failure", "success") and policy:
        getattr(policy, request["op"])(round(request["at_s"] * 1e9), **request)
    if request["op"] != "bye":
        response = policy and {"ok": True, "warning": policy.warning, "delay_s": policy.delay, "extended": policy.extended}
        print(json.dumps(response or {"refused": "only streaming and polling are built here"}), flush=True)
