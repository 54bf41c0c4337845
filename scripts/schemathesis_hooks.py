"""What JSON Schema cannot express: a request that keeps the schema may still be refused, but only for these reasons."""

import re

import schemathesis
from schemathesis.specs.openapi.checks import use_after_free

# They depend on stored data, on the content of a URL, or on several values together.
BEYOND_SCHEMA = {
    "campaign_unknown",
    "external_message_id_taken",
    "file_ref_unknown",
    "file_not_kept",
    "file_name_missing",
    "cid_taken",
    "attachment_fetch_failed",
    "attachment_address_refused",
    "attachments_too_large",
    "template_invalid",
    "template_not_read",
    "profile_data_too_large",
    "profile_data_too_deep",
    "headers_too_large",
    "invalid_domain",
    "invalid_private_key",
    "selector_taken",
    "slug_is_an_id",
}
# Only cursors from earlier answers are valid.
BEYOND_PATTERN = {"/cursor", "/query/cursor"}

# Faults of a body that are found before any schema is checked: digits that a float would lose, too many values.
BEYOND_JSON_SCHEMA = {"number_not_exact", "body_too_complex"}

KNOWN_CAMPAIGN = "welcome"
SLUG = re.compile(r"[A-Za-z0-9_-]{3,40}")


def to_known_campaign(request):
    """Replaces a generated slug by that of the sample campaign; otherwise no request would be accepted."""
    if not isinstance(request, dict):
        return
    campaign = request.get("campaign")
    if isinstance(campaign, str) and SLUG.fullmatch(campaign):
        request["campaign"] = KNOWN_CAMPAIGN
    elif isinstance(campaign, dict) and list(campaign) == ["slug"] and SLUG.fullmatch(str(campaign["slug"])):
        campaign["slug"] = KNOWN_CAMPAIGN


@schemathesis.hook
def map_body(context, body):
    if context.operation.path == "/v2/send/email":
        to_known_campaign(body)
        if isinstance(body, dict):
            to_known_campaign(body.get("json"))
    return body


@schemathesis.check
def refuses_for_a_reason(ctx, response, case):
    """A refusal of data that the document allows must not name a rule that the document could have expressed."""
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive:
        return
    if response.status_code == 400:
        code = response.json()["code"]
        assert code in BEYOND_JSON_SCHEMA, f"unreadable, though the document allows it: {code}"
    if response.status_code != 422:
        return
    problem = response.json()
    if problem["code"] == "idempotency_key_reused":
        return
    told = [
        error
        for error in problem["errors"]
        if error["code"] not in BEYOND_SCHEMA and error["pointer"] not in BEYOND_PATTERN
    ]
    assert not told, f"refused, though the document allows it: {told[:5]}"


@schemathesis.check
def released_is_gone(ctx, response, case):
    """The built-in use_after_free, except for an unsubscription, which remains when the other reason is removed."""
    if case.operation.path != "/v2/suppressions/{address}":
        return None
    stands = response.status_code == 200 and response.json()["reason"] == "unsubscribed"
    return None if stands else use_after_free(ctx, response, case)
