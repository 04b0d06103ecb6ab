/** Ten shades of one colour from light to dark, as Mantine wants them. */
export type Shades = [string, string, string, string, string, string, string, string, string, string]

const lightness = [0.972, 0.938, 0.882, 0.82, 0.755, 0.68, 0.6, 0.53, 0.455, 0.38] as const
const strength = [0.1, 0.2, 0.44, 0.7, 0.92, 1, 1, 0.94, 0.82, 0.68] as const

/**
 * The accent of a service from one hue in degrees (OKLCH) and a chroma from 0 to about 0.15. Lightness is the same for
 * every hue, so white on shade 7, shade 8 on white and shade 3 on the dark surfaces always pass WCAG AA.
 */
export function accentFrom(hue: number, chroma = 0.135): Shades {
  return lightness.map((l, index) => toHex(inGamut(l, chroma * (strength[index] ?? 1), hue))) as Shades
}

/** WCAG 2 contrast of two `#rrggbb` colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

/** Linear sRGB with the chroma reduced until the colour can be shown. */
function inGamut(l: number, chroma: number, hue: number): number[] {
  let rgb = toLinear(l, chroma, hue)
  for (let c = chroma; c > 0 && rgb.some((value) => value < -0.0005 || value > 1.0005); c -= 0.004)
    rgb = toLinear(l, c, hue)
  return rgb
}

/** OKLCH to linear sRGB (Björn Ottosson's matrices). */
function toLinear(lightnessValue: number, chroma: number, hue: number): number[] {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightnessValue + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3
  const m = (lightnessValue - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3
  const s = (lightnessValue - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3
  return [
    4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
    -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
    -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s,
  ]
}

function toHex(linear: number[]): string {
  const byte = (value: number) => {
    const clamped = Math.min(1, Math.max(0, value))
    const gamma = clamped <= 0.003_130_8 ? clamped * 12.92 : 1.055 * clamped ** (1 / 2.4) - 0.055
    return Math.round(gamma * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${linear.map(byte).join('')}`
}
