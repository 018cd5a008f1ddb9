import { type PlaceKind, placeAt } from "../../../lib/constructs/survey/place";

interface Row {
  readonly path: string;
  readonly kind: PlaceKind;
  readonly names?: string;
  readonly type?: string;
  readonly block?: string;
}

/** Paths from the top of `cdk.tf.json`, and what stands there. */
const ROWS: readonly Row[] = [
  // Blocks
  ...(["resource", "data", "ephemeral"] as const).flatMap((top): Row[] => {
    const at = { type: "a_b", block: "x" };
    const kind = { resource: "argument", data: "data-argument", ephemeral: "free" } as const;
    return [
      { path: `${top} a_b x name`, kind: kind[top], names: "name", ...at },
      { path: `${top} a_b x box 0 inner 1`, kind: kind[top], names: "box inner", ...at },
      { path: `${top} a_b x tags \${var.k}`, kind: kind[top], names: "tags (key)", ...at },
      { path: `${top} a_b x count`, kind: "count", ...at },
      { path: `${top} a_b x for_each a`, kind: "for_each", ...at },
      { path: `${top} a_b x depends_on 0`, kind: "free", names: "depends_on", ...at },
      { path: `${top} a_b x provider`, kind: "free", names: "provider", ...at },
      { path: `${top} a_b x connection host`, kind: "free", names: "connection host", ...at },
      {
        path: `${top} a_b x lifecycle precondition 0 condition`,
        kind: "free",
        names: "lifecycle precondition condition",
        ...at,
      },
      {
        path: `${top} a_b x lifecycle precondition 0 error_message`,
        kind: "condition-message",
        names: "lifecycle precondition error_message",
        ...at,
      },
      {
        path: `${top} a_b x lifecycle replace_triggered_by 0`,
        kind: "replace_triggered_by",
        names: "lifecycle replace_triggered_by",
        ...at,
      },
      {
        path: `${top} a_b x dynamic box for_each`,
        kind: "dynamic",
        names: "box for_each",
        ...at,
      },
      {
        path: `${top} a_b x dynamic 0 box 0 content 0 dynamic 0 inner 0 for_each`,
        kind: "dynamic",
        names: "box inner for_each",
        ...at,
      },
      {
        path: `${top} a_b x dynamic 0 box 0 content 0 secret`,
        kind: kind[top],
        names: "box secret",
        ...at,
      },
    ];
  }),
  // A name as any other, where nothing is dynamic.
  { path: "resource a b content for_each", kind: "argument", names: "content for_each" },
  { path: "resource a b box 0 inner 0 for_each", kind: "argument", names: "box inner for_each" },
  { path: "resource a b box 10 x1 2x", kind: "argument", names: "box x1 2x" },
  { path: "resource", kind: "argument", type: "", block: "" },
  // Arguments that stand in the state
  { path: "resource a b triggers t", kind: "stored-argument", names: "triggers t" },
  { path: "resource a b triggers_replace", kind: "stored-argument", names: "triggers_replace" },
  { path: "resource terraform_data b input", kind: "stored-argument", names: "input" },
  { path: "resource a b input", kind: "argument", names: "input" },
  { path: "resource terraform_data b output", kind: "argument", names: "output" },
  { path: "resource iam_token b keepers k", kind: "stored-argument", names: "keepers k" },
  { path: "resource iam_rotation b keepers k", kind: "stored-argument", names: "keepers k" },
  { path: "resource a b keepers k", kind: "argument", names: "keepers k" },
  { path: "resource iam_token b scope", kind: "argument", names: "scope" },
  // Provisioners
  ...(["command", "interpreter"] as const).map(
    (argument): Row => ({
      path: `resource a b provisioner 0 local-exec ${argument}`,
      kind: "command-line",
      names: `provisioner local-exec ${argument}`,
    }),
  ),
  {
    path: "resource a b provisioner 0 local-exec environment T",
    kind: "free",
    names: "provisioner local-exec environment T",
  },
  {
    path: "resource a b provisioner 0 remote-exec command",
    kind: "free",
    names: "provisioner remote-exec command",
  },
  {
    path: "resource a b provisioner 0 local-exec environment IAM_TOKENS_HOOK_COMMAND",
    kind: "hook-command",
    names: "provisioner local-exec environment IAM_TOKENS_HOOK_COMMAND",
  },
  // Modules
  { path: "module m input", kind: "module-input", names: "input", block: "m" },
  { path: "module m count", kind: "count", block: "m" },
  { path: "module m for_each a", kind: "for_each", block: "m" },
  { path: "module m depends_on 0", kind: "free", names: "depends_on", block: "m" },
  { path: "module m providers a", kind: "free", names: "providers a", block: "m" },
  { path: "module m source", kind: "static", names: "source", block: "m" },
  { path: "module m version", kind: "static", names: "version", block: "m" },
  // Outputs, variables, checks
  { path: "output o value a", kind: "output", names: "value a", block: "o" },
  { path: "output o depends_on 0", kind: "free", names: "depends_on", block: "o" },
  {
    path: "output o precondition 0 condition",
    kind: "free",
    names: "precondition condition",
    block: "o",
  },
  {
    path: "output o precondition 0 error_message",
    kind: "condition-message",
    names: "precondition error_message",
    block: "o",
  },
  { path: "variable v default", kind: "static", names: "v default", block: "variable" },
  {
    path: "variable v validation 0 condition",
    kind: "free",
    names: "v validation condition",
    block: "variable",
  },
  {
    path: "variable v validation 0 error_message",
    kind: "condition-message",
    names: "v validation error_message",
    block: "variable",
  },
  { path: "check c data http x url", kind: "data-argument", names: "data http x url", block: "c" },
  { path: "check c assert 0 condition", kind: "free", names: "assert condition", block: "c" },
  {
    path: "check c assert 0 error_message",
    kind: "condition-message",
    names: "assert error_message",
    block: "c",
  },
  // Others
  { path: "locals l a", kind: "local", block: "l" },
  { path: "provider p 0 token", kind: "provider", names: "token", block: "p" },
  { path: "moved 0 from", kind: "address", names: "moved from", block: "moved" },
  { path: "removed 0 from", kind: "address", names: "removed from", block: "removed" },
  {
    path: "terraform backend http password",
    kind: "static",
    names: "backend http password",
    block: "terraform",
  },
  { path: "import 0 id", kind: "import-id", names: "id", block: "import" },
  { path: "import 0 identity a", kind: "import-id", names: "identity a", block: "import" },
  { path: "import 0 to", kind: "free", names: "to", block: "import" },
  { path: "import 0 for_each a id", kind: "for_each", names: "for_each a id", block: "import" },
  { path: "anything a b", kind: "free", block: "anything" },
  { path: "", kind: "free" },
];

test.each(ROWS)("at $path is: $kind $names", ({ path, kind, names, type, block }) => {
  const words = path.split(" ").filter((word) => word !== "");
  const [top, first, second] = words;
  expect(placeAt(words)).toEqual({
    kind,
    names: (names ?? "").split(" ").filter((name) => name !== ""),
    type: type ?? (top === "resource" ? first : ""),
    block: block ?? (top === "resource" ? second : ""),
  });
});

test.each(["//", "resource a b //", "resource a b // metadata"])("%s is a comment", (path) => {
  expect(placeAt(path.split(" "))).toBeUndefined();
});
