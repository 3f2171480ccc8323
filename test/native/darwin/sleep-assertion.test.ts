import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemSleepHold } from '../../../native/index.ts';
import { NO_FRAMEWORKS } from '../../support/frameworks/frameworks.ts';
import { until } from '../../support/host.ts';
import { temporaryFolder } from '../../support/store.ts';
import { librariesAt, mac, useFrameworks } from './mac.ts';

/** A program in the place of caffeinate that writes down what it was asked for. */
function caffeinate() {
  const folder = temporaryFolder();
  const program = join(folder, 'caffeinate');
  const asked = join(folder, 'asked');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${asked}\n`);
  chmodSync(program, 0o755);
  return {
    env: { PATH: `${folder}:${process.env.PATH}` },
    asked: () => (existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []),
  };
}

describe.skipIf(NO_FRAMEWORKS)(
  `holding idle sleep off on a Mac${NO_FRAMEWORKS ? ` (${NO_FRAMEWORKS})` : ''}`,
  () => {
    const { frameworks } = useFrameworks();

    function sleepHold(path = frameworks().path, stage: { assertionRefusal?: number } = {}) {
      const { controls } = mac(stage, { path });
      const helper = caffeinate();
      const hold = systemSleepHold('darwin', helper.env, librariesAt(path));
      onTestFinished(hold.release);
      return { hold, helper, held: controls.held, outstanding: controls.outstanding };
    }

    it('G7 D9 takes a hold under its own name that ends by itself, anew without a gap, and releases it', () => {
      const { hold, helper, held, outstanding } = sleepHold();
      hold.hold('Lull: heavy work is running on mains');
      expect(held()).toEqual(['Lull: heavy work is running on mains, 900 s']);
      hold.hold(`Lull: ${'x'.repeat(200)}`);
      expect(held()).toEqual([`Lull: ${'x'.repeat(122)}, 900 s`]);
      hold.release();
      hold.release();
      expect(held()).toEqual([]);
      expect(outstanding()).toBe(0);
      expect(helper.asked()).toEqual([]);
    });

    it('D9 doctor can try it out beside a hold, which stays', async () => {
      const { hold, held } = sleepHold();
      hold.hold('Lull');
      expect(await hold.check()).toMatchObject({ ok: true, source: 'a power assertion' });
      expect(held()).toEqual(['Lull, 900 s']);
      hold.release();
    });

    it.each(['IOPMAssertionCreateWithDescription', 'IOPMAssertionRelease'])(
      'G7 D9 without %s a helper program holds it off',
      async (name) => {
        const { hold, helper, held } = sleepHold(frameworks().without(name));
        hold.hold('Lull');
        const line = `-i -t 900 -w ${process.pid}`;
        await until(() => helper.asked().length > 0);
        expect(helper.asked()).toEqual([line]);
        expect(held()).toEqual([]);
        expect(await hold.check()).toMatchObject({ ok: true, source: 'caffeinate' });
      },
    );

    it('G7 D9 so it does where macOS refuses', async () => {
      const { hold, helper, outstanding } = sleepHold(undefined, { assertionRefusal: 0xe00002c7 });
      hold.hold('Lull');
      await until(() => helper.asked().length > 0);
      expect(outstanding()).toBe(0);
    });
  },
);
