const PLACES = [
  'now',
  'drafts',
  'schedules',
  'stock',
  'more',
  'models',
  'cycles',
  'history',
  'settings',
  'machine',
] as const;
export type Place = (typeof PLACES)[number];

/** Where the panel is: a place, and inside it one thing or none. Kept in the address (#/drafts/7). */
export class Route {
  place = $state<Place>('now');
  item = $state<string | null>(null);

  constructor() {
    this.#read();
  }

  #read(): void {
    const [place, item] = location.hash.replace(/^#\/?/, '').split('/');
    this.place = PLACES.find((one) => one === place) ?? 'now';
    this.item = item ? decoded(item) : null;
  }

  /** Follows the address, and tells when it has changed: from which one. */
  listen(onMove: (from: string) => void): () => void {
    const read = (event: HashChangeEvent) => {
      this.#read();
      onMove(new URL(event.oldURL || location.href).hash);
    };
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }
}

function decoded(item: string): string {
  try {
    return decodeURIComponent(item);
  } catch {
    return item; // typed by hand
  }
}

export function address(place: Place, item?: string | number): string {
  return item === undefined ? `#/${place}` : `#/${place}/${encodeURIComponent(String(item))}`;
}
