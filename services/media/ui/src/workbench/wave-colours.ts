import { useComputedColorScheme } from '@mantine/core'
import type { Colours } from './wave-picture.ts'

/** Canvases want colours, not names of variables. */
const byScheme: Readonly<Record<'light' | 'dark', Colours>> = {
  light: { wave: '#6f6780', line: '#c4bfcc', text: '#221f1b', accent: '#7a4fb0', cue: '#a13d63' },
  dark: { wave: '#8a8399', line: '#4a4653', text: '#ebe8e3', accent: '#b48ff0', cue: '#b8456f' },
}

/** Colours of a drawn sound in the present scheme. */
export const useWaveColours = (): Colours => byScheme[useComputedColorScheme()]
