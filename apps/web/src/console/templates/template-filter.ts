import type { Template, TemplateCategory } from '@ingot/contracts/templates'

/** Popular ones first, else in the order they came. Every word typed must stand in name, description or features. */
export function filterTemplates(
  templates: readonly Template[],
  text: string,
  category: TemplateCategory | undefined,
): Template[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return templates
    .filter(template => !category || template.category === category)
    .filter(({ name, description, features }) => {
      const where = [name, description, ...features].join('\n').toLowerCase()
      return words.every(word => where.includes(word))
    })
    .toSorted((a, b) => Number(b.popular) - Number(a.popular))
}
