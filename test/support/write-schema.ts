import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configJsonSchema } from '../../main/base/config.ts';

/** `npm run schema`: writes the schema of config.json that ships for editors. */
const file = join(import.meta.dirname, '../../resources/config.schema.json');
writeFileSync(file, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
