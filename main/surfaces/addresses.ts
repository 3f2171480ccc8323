/** Places of the panel, as the part of its address after `#`. */
export const NOW = '/now';
export const DRAFTS = '/drafts';
export const SETTINGS = '/settings';

export function draftAddress(id: number): string {
  return `${DRAFTS}/${id}`;
}
