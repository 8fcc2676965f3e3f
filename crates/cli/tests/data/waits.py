# Waits without an end. The argument says how: 100 ms times 1.6 up to 5 s, without jitter ("growing"); 0.5 s doubling to 30 s with
# full jitter in whole milliseconds ("rounded"), or at least what the server requests ("obeying"); from draws of its own, and never
# above 0.5 s ("never-climbs"), or as claimed ("drawn").
import json, random, sys

how, failures, wait, draws = sys.argv[1], 0, 0.0, random.Random()

for line in sys.stdin:
    request = json.loads(line)
    op = request["op"]
    if op == "bye":
        break
    if op == "new":
        failures, wait = 0, 0.0
        draws.seed(request["seed"])
        response = {"ok": True, "draws": "own"} if how in ("never-climbs", "drawn") else {"ok": True}
    else:
        if op == "success":
            failures, wait = 0, 0.0
        elif op == "failure":
            failures += 1
            rung = min(0.5 * 2.0 ** min(failures - 1, 60), 30)
            drawn = rung - request["jitter_unit"] * rung
            wait = {
                "growing": min(0.1 * 1.6 ** min(failures - 1, 60), 5),
                "rounded": int(drawn * 1000) / 1000,
                "obeying": max(drawn, request.get("retry_after_s") or 0),
                "never-climbs": 0.5 * draws.random(),
                "drawn": rung * draws.random(),
            }[how]
        response = {"delay_s": wait}
    print(json.dumps(response), flush=True)
