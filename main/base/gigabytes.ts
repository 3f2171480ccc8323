/** Bytes as decimal gigabytes for people: `17.3 GB`. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
