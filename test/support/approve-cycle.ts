/** Approves one cycle in a process of its own, so that a failpoint may end it: DATABASE DRAFT. */
import { dirname } from 'node:path';
import { openStore } from '../../main/base/store/database.ts';
import { deskOver, good } from './desk.ts';

const [path = '', draft = ''] = process.argv.slice(2);
const store = await openStore(path, { backups: dirname(path), now: 0 });
const approval = good(deskOver(store).desk.approve(Number(draft)));
const answer = approval.outcome === 'underway' ? await approval.end : approval;
process.stdout.write(JSON.stringify(answer));
store.close();
