"""Checks SARIF logs against the standard's JSON schema. Usage: sarif-schema.py SCHEMA LOG…

To show that the check can fail, it breaks one of the logs in several ways, and expects a fault for each.
"""
import copy, json, sys

from jsonschema import FormatChecker
from jsonschema.validators import validator_for


def place(log): return log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]


BREAKS = [
    lambda log: log.update(version="2.0.0"),
    lambda log: log.update(extra=1),
    lambda log: log["runs"][0].pop("tool"),
    lambda log: log["runs"][0]["results"][0].pop("message"),
    lambda log: log["runs"][0]["results"][0].update(level="fatal"),
    lambda log: place(log)["region"].update(startLine=0),
    lambda log: place(log)["artifactLocation"].update(uri="a b"),
]


def load(path):
    with open(path, encoding="utf-8") as file: return json.load(file)


schema, *logs = map(load, sys.argv[1:])
kind = validator_for(schema)
kind.check_schema(schema)
# The schema's own draft doesn't have the format of a URI reference, which the schema uses.
validator = kind(schema, format_checker=FormatChecker())
found = [f"{path}, {error.json_path}: {error.message[:200]}"
         for path, log in zip(sys.argv[2:], logs) for error in validator.iter_errors(log)]
results = [result for log in logs for result in log["runs"][0]["results"]]
rules = {rule["id"] for log in logs for rule in log["runs"][0]["tool"]["driver"]["rules"]}
unseen = rules - {result["ruleId"] for result in results}
found += [f"no log has a result of the rule {rule}" for rule in sorted(unseen)]
for number, change in enumerate(BREAKS):
    broken = copy.deepcopy(next(log for log in logs if log["runs"][0]["results"]))
    change(broken)
    if validator.is_valid(broken): found.append(f"the schema doesn't find break {number}")
print(*found, sep="\n", end="\n" if found else "")
print(f"{len(logs)} logs with {len(results)} results, {len(BREAKS)} breaks: {len(found)} faults")
sys.exit(1 if found else 0)
