import type { Command } from 'commander';
import type { Act } from './act.ts';

/** `lull config …`. */
export function addSettingCommands(program: Command, act: Act): void {
  const config = program.command('config').description('the settings');
  act(
    config
      .command('get')
      .description('show all settings, or one')
      .argument('[key]', 'for example power.floorPercent'),
    async ({ call }, key: string | undefined) => {
      const value = await call('config.get', { ...(key !== undefined && { key }) });
      return { value, lines: settingLines(value) };
    },
  );
  act(
    config
      .command('set')
      .description('change one setting')
      .argument('<key>', 'for example power.floorPercent')
      .argument('<value>', 'a word, or JSON for anything else'),
    async ({ call }, key: string, text: string) => {
      const value = await call('config.set', { key, value: settingOf(text) });
      return { value, lines: settingLines(value) };
    },
  );
}

/** JSON where it is JSON, else the words as they stand. */
function settingOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function settingLines(value: unknown): string[] {
  return typeof value === 'string' ? [value] : JSON.stringify(value ?? null, null, 2).split('\n');
}
