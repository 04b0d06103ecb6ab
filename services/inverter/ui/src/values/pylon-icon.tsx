/** A power pylon, in the manner of the other icons. */
export function PylonIcon({ size = 24, stroke = 2 }: { size?: number; stroke?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d="M10 3h4l3 18M10 3 7 21M5 8h14M4 13h16M9 8l6.500 5.500M15 8l-6.500 5.500M8.200 13.500 16.500 21M15.800 13.500 7.500 21" />
    </svg>
  )
}
