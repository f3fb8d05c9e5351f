/**
 * Loads a module that draws with React. React picks its build when it is loaded, and its development build records
 * performance entries for every render and never drops them: about 5 KB a frame, measured, gigabytes over a long upload.
 */
export async function loadScreen<T>(load: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] ??= 'production';
  try {
    return await load();
  } finally {
    if (before === undefined) delete process.env['NODE_ENV'];
  }
}
