/** A time as Terraform's functions read it: RFC 3339, UTC, cut to whole seconds. */
export function toRfc3339(time: Date): string {
  return `${new Date(Math.floor(time.getTime() / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}
