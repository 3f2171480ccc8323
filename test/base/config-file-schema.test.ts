import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configJsonSchema } from '../../main/base/config.ts';

it('D6 the schema that ships for editors is the one that config.json is held to', () => {
  const file = join(import.meta.dirname, '../../resources/config.schema.json');
  // Out of date? Write it anew with: npm run schema
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(configJsonSchema())),
  );
});
