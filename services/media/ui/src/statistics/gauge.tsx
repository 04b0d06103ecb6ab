/** Shares above these are worth a look, and a worry. */
const [much, tooMuch] = [80, 92]

const sayings = {
  room: { much: 'getting full', full: 'nearly full' },
  work: { much: 'busy', full: 'very busy' },
} as const

/** How much of something is used, as a bar with its percent; words say when it is nearly all of what fills up, or of what works. */
export function Gauge(props: { label: string; percent: number | undefined; text: string; kind: 'room' | 'work' }) {
  const { label, percent, text, kind } = props
  const level = percent === undefined || percent < much ? 'fine' : percent < tooMuch ? 'much' : 'full'
  const words = level === 'fine' ? '' : `, ${sayings[kind][level]}`
  return (
    <div className="gauge" data-level={level}>
      <p>
        <span>{label}</span>
        <b>{percent === undefined ? '–' : `${Math.round(percent)} %`}</b>
      </p>
      <meter aria-label={`${label}: ${text}${words}`} min={0} max={100} value={percent ?? 0} />
      <p className="gauge-note">
        {text}
        {words}
      </p>
    </div>
  )
}
