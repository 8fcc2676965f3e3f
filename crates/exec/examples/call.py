import json, sys

TRANSIENT = (408, 425, 429, 500, 502, 503, 504)

class Call:
    def __init__(self, constructor, params):
        self.params, self.failures, self.delay = params, 0, 0
        self.ends = constructor == "call"  # a ladder goes on for ever

    def failure(self, ask):
        params, self.failures, self.delay = self.params, self.failures + 1, 0
        status = ask.get("status", 0)
        why = None
        if self.ends and (ask.get("kind") == "unexpected" or status >= 400 and status not in TRANSIENT):
            why = "terminal"  # also at the last attempt
        elif params["attempts"] is not None and self.failures >= params["attempts"]:
            why = "attempts"
        if why:
            self.failures = 0
            return {"give_up": why}
        rung = min(params["base_s"] * params["factor"] ** min(self.failures - 1, 1000), params["ceiling_s"])
        self.delay = rung - ask["jitter_unit"] * rung  # full jitter
        return {"delay_s": self.delay}

    def success(self, ask):
        self.failures, self.delay = 0, 0
        return {"delay_s": 0}

    def read(self, ask):
        return {"delay_s": self.delay}

for ask in map(json.loads, sys.stdin):
    if ask["op"] == "new" and ask["params"].get("jitter") == "full":
        policy, answer = Call(ask["constructor"], ask["params"]), {"ok": True}
    elif ask["op"] == "new":
        answer = {"refused": "calls and ladders with full jitter alone"}
    elif ask["op"] != "bye":
        answer = getattr(policy, ask["op"])(ask)
    if ask["op"] != "bye":
        print(json.dumps(answer), flush=True)
