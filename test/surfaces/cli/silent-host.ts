/** A host process for tests: holds the lock of the folder given, and answers on its socket. */
import { resolveHome } from '../../../main/base/home.ts';
import { takeLock } from '../../../main/base/store/lock.ts';
import { serveSocket } from '../../../main/surfaces/socket/server.ts';
import { answering } from '../support.ts';

const lock = takeLock(resolveHome(process.argv[2]), { version: '9.9.9', now: Date.now() });
await serveSocket(lock, answering());
process.stdout.write('up\n');
