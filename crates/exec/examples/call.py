import json, sys

TRANSIENT = (408, 425, 429, 500, 502, 503, 504)

class Call:
    def __init__(self, constructor, params):
        self.params, self.failures, self.delay = params, 0, 0
        self.ends = constructor == "call"  # a ladder goes on for ever

    def failure(self, request):
        params, self.failures, self.delay = self.params, self.failures + 1, 0
        status = request.get("status", 0)
        why = None
        if self.ends and (request.get("kind") == "unexpected" or status >= 400 and status not in TRANSIENT):
            why = "terminal"  # also at the last attempt
        elif params["attempts"] is not None and self.failures >= params["attempts"]:
            why = "attempts"
        if why:
            self.failures = 0
            return {"give_up": why}
        rung = min(params["base_s"] * params["factor"] ** min(self.failures - 1, 1000), params["ceiling_s"])
        self.delay = rung - request["jitter_unit"] * rung  # full jitter
        return {"delay_s": self.delay}

    def success(self, request):
        self.failures, self.delay = 0, 0
        return {"delay_s": 0}

    def read(self, request):
        return {"delay_s": self.delay}

for request in map(json.loads, sys.stdin):
    if request["op"] == "new" and request["params"].get("jitter") == "full":
        policy, response = Call(request["constructor"], request["params"]), {"ok": True}
    elif request["op"] == "new":
        response = {"refused": "calls and ladders with full jitter alone"}
    elif request["op"] != "bye":
        response = getattr(policy, request["op"])(request)
    if request["op"] != "bye":
        print(json.dumps(response), flush=True)
