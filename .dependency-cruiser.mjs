const order = ['base', 'engine', 'work', 'desk', 'surfaces', 'compose'];
/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'electron-only-in-its-surface',
      severity: 'error',
      from: {
        path: '^(main|native|renderer)/',
        pathNot: '^main/(surfaces/electron/|electron\\.ts$)',
      },
      to: { path: '(^|/)electron($|/)', dependencyTypes: ['npm', 'npm-dev'] },
    },
    {
      name: 'sqlite-only-in-the-store',
      severity: 'error',
      from: { path: '^(main|native|renderer)/', pathNot: '^main/base/store/' },
      to: { path: 'node_modules/better-sqlite3' },
    },
    {
      name: 'koffi-only-in-native',
      severity: 'error',
      from: { path: '^(main|renderer)/' },
      to: { path: 'node_modules/koffi' },
    },
    {
      name: 'native-stands-alone',
      severity: 'error',
      from: { path: '^native/' },
      to: { path: '^(main|renderer)/' },
    },
    {
      name: 'renderer-knows-only-the-contract',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^(main|native)/', pathNot: '^main/surfaces/contract\\.ts$' },
    },
    {
      name: 'renderer-takes-types-only',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^main/surfaces/contract\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    ...order.slice(0, -1).map((layer, i) => ({
      name: `${layer}-imports-only-below`,
      severity: 'error',
      from: { path: `^main/${layer}/` },
      to: {
        path: `^main/(${order.slice(i + 1).join('|')}|ground|host|lasting-life|life|supervise|headless|one-command|cli|electron|kinds|worker|worker-entry)(/|\\.ts$)`,
      },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.svelte'],
    },
  },
};
