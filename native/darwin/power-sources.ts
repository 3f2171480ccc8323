import type { CoreFoundation, Fields, Ref } from './core-foundation.ts';
import { type Framework, once } from './framework.ts';

/** A battery that powers this machine, from within or as a UPS. */
export interface PowerSource {
  kind: 'battery' | 'ups';
  /** External power is connected; says nothing about whether it suffices. */
  plugged: boolean;
  charging: boolean | null;
  /** 0–100; null where it is not told. */
  percent: number | null;
  /** What it holds when full, as a weight among its like. */
  size: number;
}

/**
 * Lists the power sources. Throws where that failed; but where the power daemon cannot be reached,
 * macOS answers as for a machine without any.
 */
export function powerSources(library: Framework, cf: CoreFoundation): () => PowerSource[] {
  const io = once(() => functionsOf(library));
  return () => {
    const { copyInfo, copyList, describe } = io();
    return cf.scope((own) => {
      const info = own(copyInfo());
      if (info === null) throw new Error('macOS gives no information');
      const list = own(copyList(info));
      if (list === null) throw new Error('macOS gives no list');
      return cf
        .items(list, 'the list')
        .map((handle) => {
          const description = describe(info, handle);
          if (description === null) throw new Error('a source is listed and not described');
          return sourceOf(cf.fields(cf.expectDictionary(description, 'a source')));
        })
        .filter((source) => source !== null);
    });
  };
}

const KINDS: ReadonlyMap<string, PowerSource['kind']> = new Map([
  ['InternalBattery', 'battery'],
  ['UPS', 'ups'],
]);

/** Null for what does not count: an empty bay, a UPS that is gone, the ghost that some desktops list. */
function sourceOf({ text, integer, flag }: Fields): PowerSource | null {
  const type = text('Type');
  if (type === null) throw new Error('a source does not say what it is');
  const kind = KINDS.get(type);
  const state = text('Power Source State');
  if (kind === undefined || state === 'Off Line' || flag('Is Present') === false) return null;
  if (state !== 'AC Power' && state !== 'Battery Power') {
    throw new Error(`a source is in the state ${JSON.stringify(state)}`);
  }
  const [capacity, size] = [integer('Current Capacity'), integer('Max Capacity') ?? 0];
  if (kind === 'battery' && size === 0) return null;
  const percent = capacity === null || size <= 0 ? null : (capacity / size) * 100;
  return {
    kind,
    plugged: state === 'AC Power',
    charging: flag('Is Charging'),
    percent: percent === null ? null : Math.min(100, Math.max(0, percent)),
    size,
  };
}

function functionsOf({ find }: Framework) {
  return {
    copyInfo: find<() => Ref | null>('IOPSCopyPowerSourcesInfo', 'void *', []),
    copyList: find<(info: Ref) => Ref | null>('IOPSCopyPowerSourcesList', 'void *', ['void *']),
    /** Borrowed from `info`. */
    describe: find<(info: Ref, handle: Ref) => Ref | null>(
      'IOPSGetPowerSourceDescription',
      'void *',
      ['void *', 'void *'],
    ),
  };
}
