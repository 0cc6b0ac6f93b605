/** Who writes invoices, and what the law wants on them. */
import { matching, text, variable, type Variables } from './variable.ts'

/** In hundredths of a percent. */
function parsePercent(given: string): number | undefined {
  const [, whole, part = ''] = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(given) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}

export const invoiceVariables = {
  INGOT_INVOICE_NAME: text({
    absent: null,
    shown: 'statements without a sender',
    does: 'Who sells: the name on invoices.',
  }),
  INGOT_INVOICE_ADDRESS: text({
    absent: null,
    does: 'The address, with a `;` between its lines: `Main Street 1; 10115 Berlin; Germany`.',
  }),
  INGOT_INVOICE_TAX_NUMBER: text({
    absent: null,
    does: 'The tax number: `VAT ID DE123456789`.',
  }),
  INGOT_INVOICE_TAX_NAME: text({ absent: 'VAT', does: 'What the tax is called.' }),
  INGOT_INVOICE_TAX_RATE: variable<number, null>(
    {
      kind: 'Percent, such as `19` or `8.1`.',
      advice: 'Write a number such as 19 or 8.1',
      parse: parsePercent,
    },
    { absent: null, shown: 'no line of tax', does: 'How much of it prices include.' },
  ),
  INGOT_INVOICE_NOTE: text({
    absent: null,
    does: 'A sentence at the end, such as one on reverse charge.',
  }),
  INGOT_INVOICE_PREFIX: matching(value => /^[A-Z0-9]{1,10}$/.test(value), {
    advice: 'Write 1 to 10 capital letters and digits',
    absent: 'ING',
    does: 'What numbers begin with: `ING-2026-000123`.',
  }),
} satisfies Variables
