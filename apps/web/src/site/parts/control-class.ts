/** A choice or a file: the house's input fields count both as read-only, and would show them sunken. */
export const choiceClass =
  'h-control w-full rounded-control border border-line-strong bg-raised px-3 text-input text-ink aria-invalid:border-danger'
