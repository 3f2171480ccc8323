/** Pauses: what the owner has put on hold; `until` is null for "until resumed". At most two rows. */
export const pausesDefinition = `
CREATE TABLE pauses (
  scope TEXT PRIMARY KEY CHECK (scope IN ('all', 'heavy')),
  since INTEGER NOT NULL,
  until INTEGER CHECK (until IS NULL OR until > since)
) STRICT;
`;
