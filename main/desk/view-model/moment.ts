/** `3 Dec`, in the owner's zone. */
export function day(at: number, zone: string): string {
  const { day, month } = parts(at, zone);
  return `${day} ${month}`;
}

/** `3 Dec 07:05`, in the owner's zone. */
export function moment(at: number, zone: string): string {
  const { day, month, hour, minute } = parts(at, zone);
  return `${day} ${month} ${hour}:${minute}`;
}

/** Making one takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(zone, format);
  }
  return format;
}

/** Put together from parts: the order and the commas of a formatted date differ between versions. */
function parts(at: number, zone: string) {
  const found = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: found.day ?? '',
    month: (found.month ?? '').slice(0, 3),
    hour: found.hour ?? '',
    minute: found.minute ?? '',
  };
}
