// Every point of a figure says what it is to whoever points at it.
const tip = document.getElementById("tip");
const showTip = (event) => {
  const point = event.target.closest?.("figure [aria-label]:not([role=img])");
  tip.hidden = !point;
  if (!point) return;
  tip.textContent = point.getAttribute("aria-label");
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, room))}px`;
  tip.style.top = `${event.clientY - tip.offsetHeight - 10}px`;
};
document.addEventListener("pointerover", showTip);
document.addEventListener("pointerdown", showTip);
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true, capture: true });
