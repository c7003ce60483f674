// Elements of HTML and of SVG: el("button", {onclick}, "text", child, ...).

const maker = (space) => (tag, attributes = {}, ...children) => {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) element[name] = value;
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

export const el = maker("http://www.w3.org/1999/xhtml");
export const svg = maker("http://www.w3.org/2000/svg");
