import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core'
import { accentFrom, type Shades } from './accent.ts'

/** Warm paper greys for the light scheme. */
const stone: MantineColorsTuple = [
  '#faf9f7',
  '#f4f2ee',
  '#eae7e1',
  '#ddd9d1',
  '#c3beb4',
  '#9c968b',
  '#7a746a',
  '#5f5a52',
  '#45413b',
  '#2b2824',
]

/** Warm charcoal for the dark scheme: 0 is text, 7 the page, 6 a raised surface. */
const charcoal: MantineColorsTuple = [
  '#e8e5e0',
  '#cfcbc4',
  '#aaa59c',
  '#86817a',
  '#4d4943',
  '#37342f',
  '#26241f',
  '#1a1815',
  '#141210',
  '#0e0d0b',
]

/** A dialog's head is no second banner of the page. */
const noBanner = { header: { role: 'presentation' } }

const components: NonNullable<MantineThemeOverride['components']> = {
  Modal: {
    defaultProps: {
      centered: true,
      radius: 'lg',
      overlayProps: { backgroundOpacity: 0.45 },
      closeButtonProps: { 'aria-label': 'Close' },
      attributes: noBanner,
    },
  },
  Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, attributes: noBanner } },
  Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
  Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#main' } } },
  Tooltip: { defaultProps: { openDelay: 250, withArrow: true, events: { hover: true, focus: true, touch: true } } },
  PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show or hide what is typed' } } },
  InputWrapper: { defaultProps: { withAsterisk: false } },
  Loader: { defaultProps: { type: 'dots' } },
}

const systemFonts = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'

/** Hearth's look with one accent a service: neutral surfaces, system fonts, a little denser than Mantine's own. */
export function hearthTheme(accent: Shades): MantineThemeOverride {
  return createTheme({
    // Mantine measures what unfolds by the end of a transition, which does not come where there is none.
    respectReducedMotion: true,
    colors: {
      accent,
      gray: stone,
      dark: charcoal,
      red: accentFrom(24, 0.19),
      green: accentFrom(150, 0.13),
      yellow: accentFrom(78, 0.14),
    },
    primaryColor: 'accent',
    primaryShade: 7,
    black: '#221f1b',
    fontFamily: systemFonts,
    fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace',
    fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
    headings: {
      fontFamily: systemFonts,
      fontWeight: '620',
      sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' } },
    },
    defaultRadius: 'md',
    radius: { sm: '5px', md: '8px', lg: '12px' },
    cursorType: 'pointer',
    components,
  })
}

const lightSurfaces = {
  '--mantine-color-body': '#ffffff',
  '--mantine-color-text': '#221f1b',
  '--mantine-color-dimmed': '#69635a',
  '--mantine-color-placeholder': '#767066',
  '--mantine-color-default-border': '#d9d4ca',
  '--mantine-color-error': '#b3261e',
  '--hearth-page': '#f7f5f1',
  '--hearth-surface': '#ffffff',
  '--hearth-sunken': '#f4f2ee',
  '--hearth-line': '#e6e2da',
  '--hearth-good': '#1f6b3b',
  '--hearth-warn': '#875000',
  '--hearth-bad': '#a8231c',
  '--hearth-quiet': '#69635a',
  '--hearth-tint': '10%',
}

const darkSurfaces = {
  '--mantine-color-body': '#211f1b',
  '--mantine-color-text': '#ebe8e3',
  '--mantine-color-dimmed': '#aca69c',
  '--mantine-color-placeholder': '#948e84',
  '--mantine-color-default-border': '#413d37',
  '--mantine-color-default': '#282520',
  '--mantine-color-default-hover': '#322f29',
  '--mantine-color-error': '#ff9d93',
  '--hearth-page': '#171512',
  '--hearth-surface': '#211f1b',
  '--hearth-sunken': '#1b1916',
  '--hearth-line': '#35322c',
  '--hearth-good': '#7fce9b',
  '--hearth-warn': '#f0b865',
  '--hearth-bad': '#ff9d93',
  '--hearth-quiet': '#aca69c',
  '--hearth-tint': '14%',
}

/** The semantic colours of both schemes; every text colour passes WCAG AA on the surfaces it stands on. */
export const hearthVariables: CSSVariablesResolver = (theme) => {
  const accent = theme.colors['accent'] ?? stone
  return {
    variables: {},
    light: {
      ...lightSurfaces,
      '--mantine-color-anchor': accent[7],
      '--hearth-accent-text': accent[8],
      '--hearth-accent-soft': accent[1],
    },
    dark: {
      ...darkSurfaces,
      '--mantine-color-anchor': accent[3],
      '--hearth-accent-text': accent[3],
      '--hearth-accent-soft': `color-mix(in srgb, ${accent[5]} 18%, #211f1b)`,
    },
  }
}
