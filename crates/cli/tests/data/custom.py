# The example subject with bounds, a cadence and a reset rule of its own; with an argument, one that ignores its extended ceiling.
import sys

source = open("crates/exec/examples/subject.py").read()
machine, loop = source.split("\nfor request in", 1)
exec(machine)

class Custom(Policy):
    def __init__(self, constructor, params):
        bounds = [[params[f"{regime}_{bound}_delay"] for bound in ("initial", "ceiling")] for regime in ("normal", "extended")]
        self.bounds = [(initial, max(initial, ceiling)) for initial, ceiling in bounds]
        if sys.argv[1:]:
            self.bounds[1] = (self.bounds[1][0], 3600)
        self.reset, self.warning = params["reset_policy"], None
        self.cadence = self.delay = params["operating_cadence"]
        self.attempts, self.extended, self.successes, self.healthy_since = 0, False, 0, 0

    def reset_if_healthy(self, now):
        timed = self.reset["type"] == "after_healthy_for"
        healthy = timed and self.successes and now - self.healthy_since >= round(self.reset["seconds"] * 1e9)
        if healthy or not timed and self.successes >= self.reset["count"]:
            self.attempts, self.extended = 0, False

exec("for request in" + loop.replace('Policy(request', 'Custom(request').replace('in ("streaming", "polling")', '== "custom"'))
