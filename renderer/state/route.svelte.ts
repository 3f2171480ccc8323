export const PLACES = ['now', 'drafts', 'schedules', 'stock', 'history'] as const;
export type Place = (typeof PLACES)[number];

/** Where the panel is: a place, and inside it one thing or none. Kept in the address (#/drafts/7). */
export class Route {
  place = $state<Place>('now');
  item = $state<string | null>(null);

  constructor() {
    this.read();
  }

  read(): void {
    const [place, item] = location.hash.replace(/^#\/?/, '').split('/');
    this.place = PLACES.find((one) => one === place) ?? 'now';
    this.item = item ? decodeURIComponent(item) : null;
  }

  listen(): () => void {
    const read = () => this.read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }
}

export function address(place: Place, item?: string | number): string {
  return item === undefined ? `#/${place}` : `#/${place}/${encodeURIComponent(String(item))}`;
}
