/** A text as Terraform takes it literally: nothing in it is a template. */
export function escapeTemplate(text: string): string {
  return text.replace(/[$%]\{/g, (opening) => `${opening[0]}${opening}`);
}

/** The same; CDK tokens in it stay what they are. */
export function literally(text: string): string {
  return text.replace(/[$%]\{(?!TfToken\[)/g, (opening) => `${opening[0]}${opening}`);
}
