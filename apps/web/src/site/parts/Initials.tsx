/** In place of a picture. */
export function Initials({ name }: { readonly name: string }) {
  const letters = name.split(' ').map(word => word[0])
  return (
    <span
      aria-hidden
      className="flex size-12 shrink-0 items-center justify-center rounded-full bg-idle-soft font-semi text-idle"
    >
      {letters[0]}
      {letters.at(-1)}
    </span>
  )
}
