/** Shares above these are worth a look, and a worry. */
const [much, tooMuch] = [80, 92]

/** How much of something is used, as a bar with its percent; words say when it is nearly all. */
export function Gauge({ label, percent, text }: { label: string; percent: number | undefined; text: string }) {
  const level = percent === undefined || percent < much ? 'fine' : percent < tooMuch ? 'much' : 'full'
  const words = { fine: '', much: ', getting full', full: ', nearly full' }[level]
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
