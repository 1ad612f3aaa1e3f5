import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_cli.errors import UsageError
from memory_cli.text.redaction import check_pattern, redact

# Secrets are joined here from parts, so that no scanner takes this file for a leak.
LETTERS = "aZ3kQ9xB7mT1cW5vN8rJ2pY6dL4sH0gF"
HEX = "9f8c3b1a7d2e4605"
UPPER = "Q7ZK2MXJ4RWT9VBN"
UUID = "3f2b8c1e-5d4a-4f6b-9c8d-7e1a2b3c4d5e"
BODY = "\n".join(["MIIEowIBAAKCAQEA" + LETTERS + "q+/Zx", LETTERS * 2, LETTERS + "Ab=="])
BEGIN, END = "-----BEGIN {}PRIVATE " + "KEY-----", "-----END {}PRIVATE " + "KEY-----"
JWT = ".".join("ey" + part for part in ("JhbGciOiJIUzI1NiJ9", "JzdWIiOiIxMjM0NTY3ODkwIn0")) + ".SflKxwRJSMeKKF2QT4fwpM"


def letters(count: int) -> str:
    return (LETTERS * (count // len(LETTERS) + 1))[:count]


def hexes(count: int) -> str:
    return (HEX * (count // len(HEX) + 1))[:count]


# Kind and secret; the whole secret must go, wherever it stands.
TOKENS = [
    ("github-token", "ghp_" + letters(36)),
    ("github-token", "ghp_" + "a1B2" * 9),
    ("github-token", "gho_" + letters(36)),
    ("github-token", "ghs_" + letters(36)),
    ("github-token", "github_pat_" + letters(22) + "_" + letters(59)),
    ("gitlab-token", "glpat-" + letters(20)),
    ("gitlab-token", "glrt-" + letters(20)),
    ("aws-access-key", "AKIA" + UPPER),
    ("aws-access-key", "ASIA" + UPPER),
    ("google-api-key", "AIza" + letters(35)),
    ("google-oauth", "ya29." + letters(60)),
    ("google-oauth", "GOCSPX-" + letters(28)),
    ("slack-token", "xoxb-" + "123456789012-1234567890123-" + letters(24)),
    ("slack-token", "xoxp-" + "123456789012-123456789012-" + hexes(32)),
    ("slack-token", "xapp-" + "1-A012ABCDEF-1234567890-" + hexes(64)),
    ("stripe-key", "sk_live_" + letters(24)),
    ("stripe-key", "rk_live_" + letters(24)),
    ("stripe-key", "sk_test_" + letters(24)),
    ("stripe-key", "whsec_" + letters(32)),
    ("openai-key", "sk-" + letters(48)),
    ("openai-key", "sk-proj-" + letters(64)),
    ("anthropic-key", "sk-ant-" + "api03-" + letters(93) + "AA"),
    ("openrouter-key", "sk-or-" + "v1-" + hexes(64)),
    ("huggingface-token", "hf_" + letters(34)),
    ("npm-token", "npm_" + letters(36)),
    ("pypi-token", "pypi-" + "AgEIcHlwaS5vcmcC" + letters(80)),
    ("docker-token", "dckr_pat_" + letters(27)),
    ("sendgrid-key", "SG." + letters(22) + "." + letters(43)),
    ("twilio-key", "SK" + hexes(32)),
    ("mailgun-key", "key-" + hexes(32)),
    ("mailchimp-key", hexes(32) + "-us12"),
    ("digitalocean-token", "dop_v1_" + hexes(64)),
    ("heroku-key", "HRKU-" + letters(60)),
    ("azure-client-secret", "abc8Q~" + letters(34)),
    ("telegram-token", "123456789:" + "AA" + letters(33)),
    ("discord-token", "MTE" + letters(21) + ".Gk3fZq." + letters(38)),
    ("shopify-token", "shpat_" + hexes(32)),
    ("linear-key", "lin_api_" + letters(40)),
    ("notion-token", "ntn_" + letters(46)),
    ("notion-token", "secret_" + letters(43)),
    ("databricks-token", "dapi" + hexes(32)),
    ("vault-token", "hvs." + letters(90)),
    ("terraform-token", letters(14) + ".atlasv1." + letters(64)),
    ("sentry-token", "sntrys_" + letters(80)),
    ("postman-key", "PMAK-" + hexes(24) + "-" + hexes(34)),
    ("grafana-token", "glsa_" + letters(32) + "_" + hexes(8)),
    ("newrelic-key", "NRAK-" + UPPER + UPPER[:11]),
    ("airtable-token", "pat" + letters(14) + "." + hexes(64)),
    ("figma-token", "figd_" + letters(40)),
    ("atlassian-token", "ATATT3" + letters(186)),
    ("groq-key", "gsk_" + letters(52)),
    ("pulumi-token", "pul-" + hexes(40)),
    ("planetscale-token", "pscale_tkn_" + letters(43)),
    ("supabase-key", "sbp_" + hexes(40)),
    ("doppler-token", "dp.pt." + letters(43)),
    ("tailscale-key", "tskey-" + "auth-" + letters(12) + "CNTRL-" + letters(32)),
    ("square-token", "sq0atp-" + letters(22)),
    ("onepassword-token", "ops_" + "eyJ" + letters(250)),
    ("private-key", "AGE-SECRET-" + "KEY-1" + UPPER * 3 + UPPER[:10]),
    ("jwt", JWT),
]

# Kind, text with `@` where the secret stands, and the secret.
IN_CONTEXT = [
    ("url-password", "postgres://u:@@h/db", "p"),
    ("url-password", "DATABASE_URL=postgres://app:@@db.internal:5432/app", "S3cr3t!pw"),
    ("url-password", "redis://:@@cache:6379/0", "hunter2"),
    ("url-password", "mongodb+srv://me:@@c0.mongodb.net", "p@ss"),
    ("url-password", "git clone https://me:@@git.example.org/r.git", "hunter2"),
    ("slack-webhook", "https://hooks.slack.com/services/@", "T012AB3CD/B012AB3CD/" + letters(24)),
    ("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/@", letters(68)),
    ("aws-secret-key", "AKIA… with the AWS secret access key @ for staging", letters(20) + "/" + letters(19)),
    ("azure-storage-key", "AccountName=x;AccountKey=@;EndpointSuffix=core", letters(86) + "=="),
    ("azure-sas", "https://x.blob.core.windows.net/c?sv=2022&sig=@", letters(40) + "%3D"),
    ("twilio-key", "twilio: AC" + hexes(32) + ":@", hexes(32)[::-1]),
    ("heroku-key", "HEROKU_API_KEY=@", UUID),
    ("authorization", "curl -H 'Authorization: Bearer @' x", letters(24)),
    ("authorization", "Authorization: Basic @", base64.b64encode(b"aladdin:opensesame1").decode()),
    ("authorization", "//registry.example.org/:_auth=@", letters(24)),
    ("authorization", '{"auths": {"docker.io": {"auth": "@"}}}', letters(24)),
    ("cookie", "Cookie: @", "session=" + letters(24) + "; theme=dark"),
    ("password", "machine api.example.org login me password @", "letmein"),
    ("password", "curl -u me:@ https://example.org", "letmein"),
    ("password", "mysql -u root -p@ app", "S3cret!"),
    ("password", "password=@", "hunter2"),
    ("password", "the db password is @.", "hunter2"),
    ("password", "the password for the staging box is @", "Tr0ub4dor&3"),
    ("password", '{"user": "x", "password": "@"}', "swordfish"),
    ("password", r"{\"user\": \"x\", \"password\": \"@\"}", "sw0rdfish"),
    ("password", "db:\n  password: @\n  port: 5432", "c0rrecthorse"),
    ("password", "export DB_PASS=@", "swordfish"),
    ("password", "pg_dump --password @ app", "hunter2"),
    ("password", "Server=x;User Id=sa;Password=@;Encrypt=yes", "P@ss,w0rd"),
    ("password", "CREATE USER app WITH PASSWORD '@';", "hunter2"),
    ("password", 'let password: String = "@";', "hunter2"),
    ("password", "$config['password'] = '@';", "hunter2"),
    ("password", 'password := "@"', "hunter2"),
    ("password", ":password => '@'", "hunter2"),
    ("password", "<password>@</password>", "hunter2"),
    ("password", "Passwort: @", "Sommer!2024"),
    ("password", "密码：@", "hunter2"),
    ("api-key", "OPENAI_KEY=@", letters(32)),
    ("api-key", "api_key: @", letters(24)),
    ("api-key", "X-Api-Key: @", letters(24)),
    ("api-key", 'setenv("MY_API_KEY", "@")', letters(24)),
    ("api-key", "the API key is @, do not share it", letters(24)),
    ("token", "export FOO_TOKEN=@", letters(20)),
    ("token", 'os.environ["TOKEN"] = "@"', letters(20)),
    ("token", "deploy --token @ --yes", hexes(40)),
    ("token", "https://example.org/hook?token=@&x=1", letters(20)),
    ("token", "githubToken: '@',", letters(20)),
    ("secret", "client_secret = '@'", letters(24)),
    ("secret", "SECRET_KEY_BASE=@", hexes(64)),
    ("secret", "otpauth://totp/x?secret=@&issuer=y", "JBSWY3DPEHPK3PXP"),
    ("private-key", BEGIN.format("RSA ") + "@" + END.format("RSA "), "\n" + BODY + "\n"),
    ("private-key", BEGIN.format("OPENSSH ") + "@", "\n" + BODY),
    ("private-key", '{"private_key": "' + BEGIN.format("") + "@", r"\n" + BODY.replace("\n", r"\n")),
    ("private-key", "@\n" + END.format("EC "), BODY),
    ("private-key", "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 3@\n", "\n" + BODY.replace("+/", "")),
]

LOOK_ALIKES = [
    "Default: 'Password: ' stream: A writable file object to which the prompt is written, and so on.",
    "reset your password",
    "The password must have at least 12 characters, one digit and one symbol.",
    "password policy: minimum 12 characters, rotated every 90 days",
    "password: required",
    "Password: at least 8 characters long",
    "the password is stored in 1Password",
    "the password is hashed with SHA-256",
    "the password is argon2id-hashed",
    "the token is base64-encoded",
    "the secret is in config/settings.py",
    "token budget: 2000",
    "max_tokens=4096",
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
    "token: gpt-4o-mini",
    "next_page_token=CAUQAA12345678",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixes it",
    "reverted in 9fceb02",
    UUID,
    f"session id {UUID}",
    "sha256:" + hexes(64),
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    '"integrity": "sha512-' + letters(86) + '=="',
    "cffi==1.17.1 --hash=sha256:" + hexes(64),
    "docker://alpine:3.19@sha256:" + hexes(64),
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg" + letters(300) + "==",
    "![logo](data:image/svg+xml;base64," + letters(120) + ")",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
    "sk-...",
    "export OPENAI_API_KEY=sk-...",
    "ghp_" + "x" * 36,
    "ghp_your_token_here",
    "token: <token>",
    "token=<your-token>",
    "GITHUB_TOKEN=${TOKEN}",
    "export TOKEN=$TOKEN",
    "api_key: ${{ secrets.API_KEY }}",
    "password: {{ vault_db_password }}",
    'password = os.environ["DB_PASSWORD"]',
    "token = os.getenv('TOKEN2')",
    "const token = process.env.API_TOKEN2;",
    "secret = secrets.token_hex(32)",
    "password=get_password(user1)",
    "connect(user=user1, password=password2)",
    "self.token = request.headers['x-token-1']",
    "password=changeme",
    "POSTGRES_PASSWORD=change_me",
    "API_KEY=YOUR_API_KEY_123",
    "password: ********",
    "password = None",
    '"password": {"type": "string", "minLength": 12}',
    '<input type="password" name="password" id="pw1">',
    'label = {"password": "Passwort"}',
    "api_key = settings.OPENAI_API_KEY",
    "secret: op://vault/item1/field2",
    "secretName: db-credentials-v2",
    "maxRetryCount and http_client.retry_policy and ABC-123",
    "~/.ssh/id_ed25519 and /etc/ssl/private/server1.key",
    "git@github.com:owner/repo.git",
    "https://github.com/owner/repo.git",
    "ssh://git@host.example.org:2222/owner/repo.git",
    "http://localhost:8080/@scope/package",
    "http://localhost:8080/path/user@example.com",
    "postgres://$USER:$PASSWORD@localhost/db",
    "https://user:<password>@host/",
    "keys such as " + BEGIN.format("RSA ") + " are refused",
    BEGIN.format("") + "\n...\n" + END.format(""),
    "-----BEGIN PUBLIC KEY-----\n" + BODY + "\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + letters(43) + " me@host",
    "AC" + hexes(32) + " is the account's id",
    "scikit-learn, sk-learn-contrib-long-name and task-runner-for-python-projects",
    "hf_hub_download and npm_config_registry and pypi-publish-workflow-for-release-branches",
    "bypass=123abc456 and compass: n0rth",
    "Cookie: policy page",
    "the bearer of good news-and-other-things",
    "Authorization: required",
    "cache_key=user:42:v3",
    "primary key: id_2024_11_30",
    "id 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "password updated 2024-11-30, token rotated 2024-12-01",
    "the password is user@example.org",
]


@pytest.mark.parametrize(("kind", "token"), TOKENS)
@pytest.mark.parametrize("around", ["@", "use @ here.", "令牌@。", '{"x": "a\\n@"}', "(@)", "Ünïcödé `@`"])
def test_a_token_is_replaced_by_its_kind_wherever_it_stands(kind: str, token: str, around: str) -> None:
    redacted = redact(around.replace("@", token))
    assert redacted.text == around.replace("@", f"[redacted: {kind}]")
    assert redacted.kinds == (kind,)


@pytest.mark.parametrize(("kind", "around", "secret"), IN_CONTEXT)
def test_a_secret_is_known_by_what_stands_around_it(kind: str, around: str, secret: str) -> None:
    at = around.index("@")
    redacted = redact(around[:at] + secret + around[at + 1 :])
    assert secret.strip() not in redacted.text or len(secret) == 1
    assert kind in redacted.kinds
    assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    redacted = redact(text)
    assert redacted.text is text
    assert redacted.kinds == ()


def test_enough_secrets_of_enough_issuers_are_tried() -> None:
    assert len(TOKENS) + len(IN_CONTEXT) >= 100
    assert len({kind for kind, _ in TOKENS}) >= 25
    assert len(LOOK_ALIKES) >= 60


def test_several_secrets_are_replaced_and_their_kinds_sorted() -> None:
    github, stripe = "ghp_" + letters(36), "sk_live_" + letters(24)
    redacted = redact(f"{stripe}, then {github}, then {github}")
    assert redacted.text == "[redacted: stripe-key], then [redacted: github-token], then [redacted: github-token]"
    assert redacted.kinds == ("github-token", "stripe-key")


def test_overlapping_finds_become_one_marker_of_the_better_rule() -> None:
    redacted = redact(f"export GITHUB_TOKEN=prefix-ghp_{letters(36)}")
    assert redacted == redact("export GITHUB_TOKEN=ghp_" + letters(36))
    assert redacted.text == "export GITHUB_TOKEN=[redacted: github-token]"


def test_a_marker_in_the_text_stays_and_hides_nothing_beside_it() -> None:
    assert redact("password=[redacted: password]").kinds == ()
    assert redact('password="[redacted: token]hunter2"').text == 'password="[redacted: password]"'


@pytest.mark.parametrize("allow", ["hunter2", "hunter[0-9]", "password=hunter", "p.*2$"])
def test_what_is_allowed_stays(allow: str) -> None:
    text = "password=hunter2"
    assert redact(text, allow=[allow]).text is text


def test_an_allowed_text_that_is_no_regex_is_taken_literally() -> None:
    assert redact("password='p@ss(1'", allow=["p@ss(1"]).kinds == ()
    assert redact("password='p@ss(2'", allow=["p@ss(1", ""]).kinds == ("password",)


@pytest.mark.parametrize("pattern", [r"ACME-\d{6}", r"badge (?=ACME)(ACME-\d+)", r"(badge) (?P<secret>ACME-\d+)"])
def test_a_pattern_removes_its_group_or_its_whole_match(pattern: str) -> None:
    redacted = redact("badge ACME-123456 is mine", patterns=[pattern])
    assert redacted.text == "badge [redacted: custom] is mine"
    assert redacted.kinds == ("custom",)


@pytest.mark.parametrize(
    "pattern", ["a" * 301, "(", "", "x*", r"\s", r"(a+)+$", r"(a|aa)+b", r"(?:(x{2,}))*y", r"a*b*c*d*e", "((.+)z){9}"]
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="redaction pattern"):
        check_pattern(pattern)
    with pytest.raises(UsageError):
        redact("some text", patterns=[pattern])


@pytest.mark.parametrize("pattern", [r"ACME-[A-Z0-9(|+]{8,}", r"(?:[0-9a-f]{4}-){3}[0-9a-f]{4}", r"id_(?:a|b)_\(\w+\)"])
def test_an_ordinary_pattern_is_accepted(pattern: str) -> None:
    assert check_pattern(pattern).pattern == pattern


@pytest.mark.parametrize("unit", ["-sk-A", BEGIN.format(""), BODY + "\n", "://a:b", 'password: "', "&token=a"])
def test_a_hostile_megabyte_comes_to_an_end(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert redact(text).text


PIECES = st.sampled_from(
    [token for _, token in TOKENS]
    + [around.replace("@", secret) for _, around, secret in IN_CONTEXT]
    + [*LOOK_ALIKES, "[redacted: token]", "password=", "token: ", '"', "'", "\n", "=", ":", "@", "://", "secret is "]
)


@given(st.lists(PIECES | st.text(max_size=12), max_size=8).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text, allow=["hunter2"], patterns=[r"ACME-\d+"])
    twice = redact(once.text, allow=["hunter2"], patterns=[r"ACME-\d+"])
    assert twice.text is once.text
    assert twice.kinds == ()


@given(st.text(alphabet=st.characters(exclude_characters="aeioAEIO._-:/=~\u212a")))
def test_a_text_without_any_trigger_is_returned_as_it_is(text: str) -> None:
    assert redact(text).text is text


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_stands_around_a_secret_is_kept(before: str, after: str) -> None:
    token = "ghp_" + letters(36)
    redacted = redact(f"{before} {token} {after}")
    assert "[redacted: github-token]" in redacted.text
    assert token not in redacted.text
    assert redacted.text.startswith(before) or len(redacted.kinds) > 1
