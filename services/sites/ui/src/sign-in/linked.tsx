/** A sentence of the server whose web addresses can be followed. */
export function Linked({ text }: { text: string }) {
  return text.split(/(https?:\/\/[^\s,;]+)/).map((part, place) =>
    // Every second part is what was split at.
    place % 2 === 0 ? (
      part
    ) : (
      <a key={part} className="hearth-link" href={part}>
        {part}
      </a>
    ),
  )
}
