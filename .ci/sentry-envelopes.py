"""Reads envelopes as Sentry does: its SDK parses them, and Relay, its server's first stage, normalizes the events.

What Relay reports as an error, truncates, drops, or changes is a fault. Usage: sentry-envelopes.py FOLDER
"""
import copy, gzip, json, pathlib, sys

from sentry_relay.consts import DataCategory
from sentry_relay.processing import StoreNormalizer
from sentry_sdk.envelope import Envelope

NORMALIZER = StoreNormalizer(project_id=1, is_renormalize=False, enable_trimming=True)
# https://develop.sentry.dev/sdk/telemetry/client-reports/
REASONS = {"queue_overflow", "ratelimit_backoff", "before_send", "network_error", "send_error", "internal_sdk_error"}
MEBIBYTE = 1 << 20


def differences(sent, received, path=""):
    """What was sent and isn't in what was received, which may have more."""
    if isinstance(sent, dict):
        for key, value in sent.items():
            if not isinstance(received, dict) or key not in received: yield f"{path}.{key} was dropped"
            else: yield from differences(value, received[key], f"{path}.{key}")
    elif isinstance(sent, list):
        if not isinstance(received, list) or len(sent) != len(received): yield f"{path} has lost items"
        else:
            for index, pair in enumerate(zip(sent, received)): yield from differences(*pair, f"{path}[{index}]")
    elif isinstance(sent, float):
        if abs(sent - received) > 0.001: yield f"{path} was changed"
    elif sent != received:
        yield f"{path} was changed from {str(sent)[:80]!r} to {str(received)[:80]!r}"


def event_faults(event):
    received = NORMALIZER.normalize_event(copy.deepcopy(event))
    for error in received.get("errors") or []: yield f"Relay reports {error}"
    if received.get("_meta"): yield f"Relay notes {json.dumps(received['_meta'])[:300]}"
    # Relay has these in another form.
    received["tags"] = dict(pair for pair in received.get("tags") or [] if pair)
    received["server_name"] = received["tags"].get("server_name")
    yield from differences(event, received)


def report_faults(report):
    if not report.get("discarded_events"): yield "a client report without discarded events"
    for discarded in report.get("discarded_events") or []:
        if discarded["reason"] not in REASONS: yield f"unknown reason {discarded['reason']}"
        if DataCategory.parse(discarded["category"]) is None: yield f"unknown category {discarded['category']}"
        if not discarded["quantity"] > 0: yield f"quantity {discarded['quantity']}"


def faults(content):
    envelope = Envelope.deserialize(content)
    if not envelope.headers.get("sent_at", "").endswith("Z"): yield "no time of sending in UTC"
    if len(envelope.items) != 1: yield f"{len(envelope.items)} items"
    for item in envelope.items:
        # The SDK would encode it anew.
        sent = content.split(b"\n", 2)[2].removesuffix(b"\n")
        payload = json.loads(sent)
        if len(sent) > (MEBIBYTE if item.type == "event" else 4096): yield f"{len(sent)} bytes"
        if item.type == "event":
            if envelope.headers.get("event_id") != payload["event_id"]: yield "two identifiers"
            if envelope.get_event() != payload: yield "the SDK reads another event"
            yield from event_faults(payload)
        elif item.type == "client_report": yield from report_faults(payload)
        else: yield f"unknown type {item.type}"


def envelope(payload, type="event"):
    data = json.dumps(payload).encode()
    head = {"event_id": payload.get("event_id"), "sent_at": "2026-01-01T00:00:00.000Z"}
    return json.dumps(head).encode() + b"\n" + json.dumps({"type": type, "length": len(data)}).encode() + b"\n" + data


# A check that finds no planted fault would find no other.
sound = {"event_id": "a" * 32, "level": "error", "platform": "other", "tags": {"a": "b"}, "server_name": "host",
         "exception": {"values": [{"type": "T", "value": "v", "mechanism": {"type": "m", "handled": True}}]}}
assert not list(faults(envelope(sound))), list(faults(envelope(sound)))
for planted in [{"level": "awful"}, {"tags": {"é": "b"}}, {"tags": {"a": "b" * 300}}, {"transaction": "x" * 300},
                {"release": "a/b"}, {"unheard": 1}, {"exception": {"values": [{"value": "x" * 9000}]}},
                {"contexts": {"trace": {"type": "trace", "trace_id": "x", "span_id": "y"}}}]:
    assert list(faults(envelope(sound | planted))), planted
for planted in [("reason", "bad luck"), ("category", "mishaps"), ("quantity", 0)]:
    discarded = {"reason": "send_error", "category": "error", "quantity": 1} | dict([planted])
    assert list(faults(envelope({"discarded_events": [discarded]}, "client_report"))), planted

counts = {"event": 0, "client_report": 0, "gzip": 0}
bad = 0
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    content = path.read_bytes()
    if path.suffix == ".gzip":
        counts["gzip"] += 1
        content = gzip.decompress(content)
    counts[Envelope.deserialize(content).items[0].type] += 1
    for fault in list(faults(content))[:5]:
        bad += 1
        print(f"{path.name}: {fault}")
print(f"{counts['event']} events and {counts['client_report']} client reports, {counts['gzip']} of them compressed, "
      f"without an error or a dropped field" if not bad else f"{bad} faults")
sys.exit(1 if bad or 0 in counts.values() else 0)
