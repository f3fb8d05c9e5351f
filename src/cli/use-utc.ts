/** Makes UTC the time zone of the process, until the returned function is called. */
export function useUtc(): () => void {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'UTC';
  return () => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  };
}
