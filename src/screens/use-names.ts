import { useCallback } from 'react';
import { displayText } from '../stores/display-text.js';
import { useTheme } from '../ui/theme.js';

/** Makes names from outside safe to show. */
export function useNames(): (text: string) => string {
  const { unicode } = useTheme();
  return useCallback((text: string) => displayText(text, { unicode }), [unicode]);
}
