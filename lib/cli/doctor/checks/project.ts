import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { cross, ok, skipped } from "../finding";

/** What there is to be looked at. */
export const checkProject: Check = ({ project, stacks }) => {
  if (project.problem !== undefined)
    return [cross(project.problem, "Correct it: it names the program and the output folder.")];
  if (project.stacks.length === 0) {
    return project.cdktf
      ? [
          cross(
            "There is a cdktf.json, and no stack is synthesized.",
            "Run cdktf synth first, and look whether its output folder is the one of cdktf.json.",
          ),
        ]
      : [
          skipped(
            `${pathInShell(project.folder)} has neither a cdktf.json nor a configuration of Terraform; only the machine is looked at.`,
          ),
        ];
  }
  const unreadable = project.stacks.flatMap(({ name, unreadable }) =>
    unreadable.map((file) => `${name}/${file}`),
  );
  if (unreadable.length > 0) {
    return unreadable.map((file) =>
      cross(
        `${pathInShell(file)} cannot be read as a configuration.`,
        "Run terraform validate there: it names the place.",
      ),
    );
  }
  const count = `${project.stacks.length} ${project.stacks.length === 1 ? "stack" : "stacks"}`;
  return stacks.length === 0
    ? [
        skipped(
          `${count}, and no provider of cdktf-iam-tokens in ${project.stacks.length === 1 ? "it" : "them"}.`,
        ),
      ]
    : [
        ok(
          `${count}, ${stacks.length} of them with the provider: ${stacks
            .slice(0, 10)
            .map(({ name }) => name)
            .join(", ")}${stacks.length > 10 ? ", …" : ""}.`,
        ),
      ];
};
