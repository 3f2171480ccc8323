import { EventEmitter } from 'node:events';
import { fail, record } from './state.ts';

type Options = Electron.MenuItemConstructorOptions;

export interface ShownItem {
  label: string;
  type: string;
  items?: ShownItem[];
}

export class MenuItem {
  readonly type: string;
  readonly label: string;
  readonly role: string | undefined;
  readonly submenu: Menu | undefined;
  readonly #click: Options['click'];

  constructor(options: Options) {
    const { submenu } = options;
    this.type = options.type ?? (submenu ? 'submenu' : 'normal');
    this.role = options.role;
    this.label = options.label ?? options.role ?? '';
    this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : undefined;
    this.#click = options.click;
  }

  choose(): void {
    if (!this.#click) fail(`the menu item ${this.label} does nothing`);
    (this.#click as () => void)();
  }

  /** As a person reads it: a doubled ampersand is one, a single one marks a key and is not seen. */
  shown(): ShownItem {
    const label = this.label.replace(/&(&?)/g, '$1');
    return { label, type: this.type, ...(this.submenu && { items: this.submenu.shown() }) };
  }
}

let open: Menu | null = null;

export class Menu extends EventEmitter {
  readonly items: MenuItem[] = [];

  static buildFromTemplate(template: Options[]): Menu {
    const menu = new Menu();
    menu.items.push(...template.map((options) => new MenuItem(options)));
    return menu;
  }

  static setApplicationMenu(menu: Menu | null): void {
    record('application-menu', menu?.shown() ?? null);
  }

  shown(): ShownItem[] {
    return this.items.map((item) => item.shown());
  }

  /** Opens it; a person then chooses, or goes on. */
  popup(): void {
    open = this;
  }

  close(): void {
    if (open === this) open = null;
  }

  /** Chooses an item by the labels that lead to it, as a person reads them. */
  choose([first, ...rest]: string[]): void {
    const item = this.items.find((one) => one.shown().label === first);
    if (!item) {
      const labels = this.items.map((one) => one.shown().label).join(' | ');
      fail(`there is no menu item ${first} among: ${labels}`);
    }
    if (rest.length > 0) item.submenu?.choose(rest);
    else item.choose();
  }
}

export function openMenu(): Menu | null {
  return open;
}
