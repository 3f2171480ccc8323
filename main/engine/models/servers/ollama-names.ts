/** A model's name as Ollama lists it: without a tag, `:latest` is meant. */
export function withTag(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`;
}
