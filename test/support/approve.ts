/** Approves one draft in a process of its own, so that a failpoint may end it: DATABASE DRAFT. */
import { dirname } from 'node:path';
import { openStore } from '../../main/base/store/database.ts';
import { deskOver } from './desk.ts';

const [path = '', draft = ''] = process.argv.slice(2);
const store = await openStore(path, { backups: dirname(path), now: 0 });
const answer = deskOver(store).desk.approve(Number(draft));
process.stdout.write(JSON.stringify(answer));
store.close();
