import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';

/** Ways of spoiling a database that nobody has open. Offsets are bytes; pages have 4096. */
export const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  'cut in half': (file) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096),
  'cut to its first bytes': (file) => truncateSync(file, 90),
  'cut to nothing': (file) => truncateSync(file, 0),
  'its header gone': (file) => overwrite(file, 0, Buffer.alloc(100)),
  'its page size changed': (file) => overwrite(file, 16, Buffer.from([0x40, 0x01])),
  'its version changed': (file) => overwrite(file, 60, Buffer.from([0, 0, 0, 0])),
  'every third page zeroed': (file) => {
    for (let at = 3 * 4096; at + 4096 <= statSync(file).size; at += 3 * 4096) {
      overwrite(file, at, Buffer.alloc(4096));
    }
  },
  'the heads of its b-trees scrambled': (file) => {
    for (let at = 4096; at + 4096 <= statSync(file).size; at += 2 * 4096) {
      overwrite(file, at, Buffer.from([0x0d, 0xff, 0xff, 0x00, 0xff, 0x0f, 0x01, 0x70]));
    }
  },
  'something else': (file) => writeFileSync(file, 'Dear diary, '.repeat(2000)),
};

function overwrite(file: string, at: number, bytes: Buffer): void {
  const whole = readFileSync(file);
  bytes.copy(whole, at);
  writeFileSync(file, whole);
}

/** Changes one bit. */
export function flipBit(file: string, bit: number): void {
  const whole = readFileSync(file);
  const at = Math.floor(bit / 8);
  whole[at] = (whole[at] ?? 0) ^ (1 << (bit % 8));
  writeFileSync(file, whole);
}
